// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/span_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "cpu-driver/host_target.h"

namespace skmd::cpu {

namespace {

using domain::Error;
using domain::Result;

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#endif

Error refused(const std::string& why) { return {0, "span code: " + why}; }

Result<std::string_view> object_of(const std::string& artifact) {
  SpanHeader header;
  if (artifact.size() < sizeof header + sizeof(Elf64_Ehdr)) return refused("too short");
  std::memcpy(&header, artifact.data(), sizeof header);
  if (header.magic != kSpanMagic) return refused("magic number is wrong");
  if (header.version != kSpanVersion)
    return refused("version " + std::to_string(header.version) + ", expected " + std::to_string(kSpanVersion));
  if (name_of(header.target).empty()) return refused("for an unknown machine");
  if (!runs_here(header.target)) return refused("for another machine: it needs " + std::string(name_of(header.target)));
  const std::string_view object = std::string_view(artifact).substr(sizeof header);
  if (object.size() != header.bytes) return refused("truncated");
  Elf64_Ehdr elf;
  std::memcpy(&elf, object.data(), sizeof elf);
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_machine != kMachine || elf.e_type != ET_DYN)
    return refused("not a shared object of this machine");
  return object;
}

class Descriptor {
 public:
  explicit Descriptor(int handle) : handle_(handle) {}
  ~Descriptor() {
    if (handle_ >= 0) ::close(handle_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return handle_; }

  [[nodiscard]] bool write(std::string_view bytes) const {
    while (handle_ >= 0 && !bytes.empty()) {
      const ssize_t put = ::write(handle_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return handle_ >= 0;
  }

 private:
  int handle_;
};

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// The loader takes two files of one name for the same, and descriptors' numbers come back: "." and "" between slashes
/// spell a number that does not.
std::string path_of(int handle) {
  std::string path = "/proc/self/fd/";
  for (std::uint64_t number = next_number(); number != 0; number /= 2) path += number % 2 != 0 ? "./" : "/";
  return path + std::to_string(handle);
}

void* open_object(const std::string& path) { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }

std::string reason_of_loader() {
  const char* text = ::dlerror();
  return text != nullptr ? text : "unknown";
}

void* load_from_memory(std::string_view object) {
  const Descriptor file(::memfd_create("skmd-span", MFD_CLOEXEC));
  return file.write(object) ? open_object(path_of(file.get())) : nullptr;
}

bool is_ours_alone(const std::string& folder) {
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & 077) == 0;
}

void* load_from_folder(std::string_view object, const std::string& folder) {
  if (folder.empty() || !is_ours_alone(folder)) return nullptr;
  const std::string path = folder + "/" + std::to_string(::getpid()) + "." + std::to_string(next_number()) + ".span";
  void* handle = nullptr;
  {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700));
    if (file.get() < 0) return nullptr;
    if (!file.write(object)) {
      ::unlink(path.c_str());
      return nullptr;
    }
  }
  handle = open_object(path);
  ::unlink(path.c_str());
  return handle;
}

}  // namespace

Result<std::unique_ptr<SpanLibrary>> SpanLibrary::load(const std::string& artifact, const std::string& folder) {
  const auto object = object_of(artifact);
  if (!object) return object.error();
  void* handle = load_from_memory(*object);
  if (handle == nullptr) handle = load_from_folder(*object, folder);
  if (handle == nullptr) return refused("cannot be loaded: " + reason_of_loader());
  return std::unique_ptr<SpanLibrary>(new SpanLibrary(handle));
}

SpanLibrary::SpanLibrary(void* handle) : handle_(handle) {
  const auto* table = static_cast<const PrintTable*>(::dlsym(handle, kPrintTable));
  auto* room = static_cast<PrintRoom*>(::dlsym(handle, kPrintRoom));
  if (table == nullptr || room == nullptr) return;
  prints_ = PrintFormats::of(*table);
  *room = print_room;
}

SpanLibrary::~SpanLibrary() { ::dlclose(handle_); }

KernelCode SpanLibrary::kernel(const std::string& kernel) const {
  KernelCode code;
  code.run = reinterpret_cast<KernelFunction>(::dlsym(handle_, kernel_symbol(kernel).c_str()));
  const void* facts = ::dlsym(handle_, facts_symbol(kernel).c_str());
  if (code.run == nullptr || facts == nullptr) return {};
  std::memcpy(&code.facts, facts, sizeof code.facts);
  if (code.facts.prints != 0) code.prints = &prints_;
  code.sites = static_cast<const char*>(::dlsym(handle_, sites_symbol(kernel).c_str()));
  if (const void* yields = ::dlsym(handle_, yields_symbol(kernel).c_str()))
    std::memcpy(&code.yields, yields, sizeof code.yields);
  return code;
}

MergeFunction SpanLibrary::merge_function(const std::string& kernel) const {
  return {reinterpret_cast<SpanFunction>(::dlsym(handle_, merge_symbol(kernel).c_str())),
          static_cast<const std::uint8_t*>(::dlsym(handle_, units_symbol(kernel).c_str()))};
}

}  // namespace skmd::cpu
