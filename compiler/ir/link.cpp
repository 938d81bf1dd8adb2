// SPDX-License-Identifier: Apache-2.0
// lld as a library. Files are in memory; lld writes its result to standard output, which is one of them meanwhile.
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "compiler/ir/native.h"

LLD_HAS_DRIVER(elf)

// lld's option "-mllvm" and its link-time optimiser set up every target that LLVM was built with; only the native one
// and NVIDIA's are in this program.
#define SKMD_ABSENT_TARGET(name)                        \
  extern "C" void LLVMInitialize##name##TargetInfo() {} \
  extern "C" void LLVMInitialize##name##Target() {}     \
  extern "C" void LLVMInitialize##name##TargetMC() {}   \
  extern "C" void LLVMInitialize##name##AsmPrinter() {} \
  extern "C" void LLVMInitialize##name##AsmParser() {}
#include "absent_targets.inc"

namespace skmd::compiler {

namespace {

class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : handle_(::memfd_create(name, 0)) {}
  ~MemoryFile() {
    if (handle_ >= 0) ::close(handle_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] int handle() const { return handle_; }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(handle_); }

  bool write(const std::string& bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t put = ::pwrite(handle_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (put <= 0) return false;
      done += static_cast<std::size_t>(put);
    }
    return handle_ >= 0;
  }
  [[nodiscard]] std::string read() const {
    struct stat info {};
    if (::fstat(handle_, &info) != 0) return {};
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::pread(handle_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (got <= 0) return {};
      done += static_cast<std::size_t>(got);
    }
    return bytes;
  }

 private:
  int handle_;
};

}  // namespace

domain::Result<std::string> shared_object(const std::string& object) {
  const MemoryFile input("object");
  const MemoryFile output("shared object");
  if (output.handle() < 0 || !input.write(object)) return domain::Error{0, "no memory for linking"};
  const std::string path = input.path();
  const char* arguments[] = {"ld.lld",
                             "-shared",
                             "--no-undefined",
                             "--threads=1",
                             "--build-id=none",
                             "--gc-sections",
                             "--strip-all",
                             "--hash-style=gnu",
                             "-z",
                             "noexecstack",
                             "-z",
                             "now",
                             "-o",
                             "-",
                             path.c_str()};
  std::fflush(stdout);
  llvm::outs().flush();
  const int before = ::dup(STDOUT_FILENO);
  if (before < 0 || ::dup2(output.handle(), STDOUT_FILENO) < 0) return domain::Error{0, "no descriptor for linking"};
  std::string messages;
  llvm::raw_string_ostream log(messages);
  const bool linked = lld::elf::link(arguments, log, log, false, false);
  lld::CommonLinkerContext::destroy();
  llvm::outs().flush();
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  if (!linked) return domain::Error{0, "lld: " + log.str()};
  std::string bytes = output.read();
  if (bytes.empty()) return domain::Error{0, "lld wrote nothing"};
  return bytes;
}

}  // namespace skmd::compiler
