// SPDX-License-Identifier: Apache-2.0
#include "profiler/ssh_hosts.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "profiler/exec.h"
#include "profiler/ssh_keeper.h"

namespace skmd::profiler {
namespace {

/// Returns false with errno set. Neither end is standard input, output or error, also where those are closed: the
/// keeper puts other files in their places.
bool make_pipe(int (&ends)[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  for (int& end : ends) {
    if (end > STDERR_FILENO) continue;
    const int higher = fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    if (higher < 0) {
      for (const int each : ends) close(each);
      errno = error;
      return false;
    }
    close(end);
    end = higher;
  }
  return true;
}

}  // namespace

domain::Status SshHosts::reach(std::vector<settings::Host>& hosts, const std::string& ssh, int interrupt) {
  std::vector<std::string> names;
  for (const settings::Host& host : hosts)
    if (!host.tried) names.push_back(host.name);
  if (names.empty()) return {};

  int lifeline[2], answer[2];
  if (!make_pipe(lifeline)) return domain::Error{0, std::strerror(errno)};
  if (!make_pipe(answer)) {
    const int error = errno;
    for (const int end : lifeline) close(end);
    return domain::Error{0, std::strerror(error)};
  }
  keeper_ = fork();
  const int error = errno;
  if (keeper_ == 0) {
    close(lifeline[1]);
    close(answer[0]);
    keep_ssh({.names = names, .ssh = ssh, .lifeline = lifeline[0], .answer = answer[1]});
  }
  close(lifeline[0]);
  close(answer[1]);
  lifeline_ = lifeline[1];
  const std::optional<std::string> servers = keeper_ > 0 ? read_unless(interrupt, answer[0]) : "";
  close(answer[0]);
  if (keeper_ < 0) {
    keeper_ = 0;
    return domain::Error{0, std::string("cannot start a process for ssh: ") + std::strerror(error)};
  }
  if (!servers) return domain::Error{0, "ended by a signal while hosts were tried"};
  std::size_t begin = 0;  // a line for each name
  for (settings::Host& host : hosts) {
    if (host.tried) continue;
    host.tried = true;
    const std::size_t end = servers->find('\n', begin);
    if (end == std::string::npos) continue;
    host.server = servers->substr(begin, end - begin);
    begin = end + 1;
  }
  return {};
}

SshHosts::~SshHosts() {
  if (lifeline_ >= 0) close(lifeline_);
  int status = 0;
  while (keeper_ > 0 && waitpid(keeper_, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace skmd::profiler
