// SPDX-License-Identifier: Apache-2.0
#include "profiler/ssh_hosts.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "profiler/ssh_keeper.h"

namespace skmd::profiler {

namespace {

/// All that is written into a pipe until its other end is closed.
std::string read_all(int descriptor) {
  std::string text;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(descriptor, bytes, sizeof bytes)) != 0;) {
    if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  return text;
}

}  // namespace

domain::Status SshHosts::reach(std::vector<settings::Host>& hosts, const std::string& ssh) {
  std::vector<std::string> names;
  for (const settings::Host& host : hosts)
    if (!host.tried) names.push_back(host.name);
  if (names.empty()) return {};

  int lifeline[2], answer[2];
  if (pipe2(lifeline, O_CLOEXEC) != 0) return domain::Error{0, std::strerror(errno)};
  if (pipe2(answer, O_CLOEXEC) != 0) {
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
  const std::string servers = keeper_ > 0 ? read_all(answer[0]) : "";
  close(answer[0]);
  if (keeper_ < 0) {
    keeper_ = 0;
    return domain::Error{0, std::string("cannot start a process for ssh: ") + std::strerror(error)};
  }
  std::size_t begin = 0;  // a line for each name
  for (settings::Host& host : hosts) {
    if (host.tried) continue;
    host.tried = true;
    const std::size_t end = servers.find('\n', begin);
    if (end == std::string::npos) continue;
    host.server = servers.substr(begin, end - begin);
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
