// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/child.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "compiler/client/codec.h"

namespace skmd::compiler {

namespace {

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
  // The result was not taken and is no longer needed.
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string bytes_from_child(const std::function<std::string()>& work, unsigned seconds) {
  return Child(work, seconds).bytes();
}

}  // namespace skmd::compiler
