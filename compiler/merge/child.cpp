// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/child.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "compiler/client/codec.h"
#include "compiler/client/wire.h"

namespace skmd::compiler {

namespace {

std::string encode(const ChildResult& result) {
  Writer writer;
  writer.number(result.kernels.size());
  for (const MergeKernel& kernel : result.kernels) {
    writer.text(kernel.obstacle);
    writer.number(kernel.loads.size());
    for (const std::uint32_t load : kernel.loads) writer.number(load);
  }
  writer.text(result.code);
  writer.text(result.ptx);
  return writer.take();
}

ChildResult decode(const std::string& bytes) {
  Reader reader(bytes);
  ChildResult result;
  result.kernels.resize(reader.count(16));
  for (MergeKernel& kernel : result.kernels) {
    kernel.obstacle = reader.text();
    kernel.loads.resize(reader.count(8));
    for (std::uint32_t& load : kernel.loads) load = static_cast<std::uint32_t>(reader.number());
  }
  result.code = reader.text();
  result.ptx = reader.text();
  return reader.complete() ? result : ChildResult{};
}

std::string read_all(int handle) {
  std::string bytes;
  char chunk[65536];
  for (;;) {
    const ssize_t got = ::read(handle, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(chunk, static_cast<std::size_t>(got));
  }
}

[[noreturn]] void run(const std::function<std::string()>& work, unsigned seconds, int handle) {
  const rlimit limit{seconds, seconds};
  (void)::setrlimit(RLIMIT_CPU, &limit);
  const std::string bytes = frame(work());
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(handle, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  ::_exit(0);
}

}  // namespace

Child::Child(const std::function<std::string()>& work, unsigned seconds) {
  int ends[2];
  if (::pipe(ends) != 0) return;
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    run(work, seconds, ends[1]);
  }
  ::close(ends[1]);
  reading_ = ends[0];
}

std::string Child::bytes() {
  if (process_ < 0) return {};
  const std::string framed = read_all(reading_);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  const domain::Result<std::string> bytes = unframe(framed);
  return bytes ? *bytes : std::string();
}

Child::~Child() {
  if (reading_ >= 0) ::close(reading_);
  if (process_ < 0) return;
  // Nobody wants it any more.
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string bytes_from_child(const std::function<std::string()>& work, unsigned seconds) {
  return Child(work, seconds).bytes();
}

ChildResult in_child(const std::function<ChildResult()>& work, unsigned seconds) {
  const std::string bytes = bytes_from_child([&] { return encode(work()); }, seconds);
  return bytes.empty() ? ChildResult{} : decode(bytes);
}

}  // namespace skmd::compiler
