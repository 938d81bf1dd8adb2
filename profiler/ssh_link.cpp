// SPDX-License-Identifier: Apache-2.0
#include "profiler/ssh_link.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "profiler/exec.h"
#include "profiler/ssh_constants.h"

namespace skmd::profiler {

namespace {

/// `ends`: what is to be the command's standard input, output and error.
[[noreturn]] void become(const std::vector<std::string>& command, const int (&ends)[3], pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kSshFailed);
  // Not what the keeper ignores, or what the application's parent has blocked.
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int i = 0; i < 3; ++i) dup2(ends[i], i);
  const std::vector<char*> arguments = exec_arguments(command);
  execvp(arguments[0], arguments.data());
  const std::string text = "cannot run '" + command.front() + "': " + std::strerror(errno) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  _exit(kSshFailed);
}

}  // namespace

bool LineReader::fill() {
  char bytes[4096];
  const ssize_t got = read(descriptor, bytes, sizeof bytes);
  if (got > 0) text_.append(bytes, static_cast<std::size_t>(got));
  if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) return true;
  close(descriptor);
  descriptor = -1;
  return false;
}

void SshLink::start(const std::string& ssh) {
  int pipes[3][2];
  int made = 0;
  if (mkdir(place_.here.c_str(), S_IRWXU) != 0)
    return give_up("cannot make the folder " + place_.here + ": " + std::strerror(errno));
  while (made < 3 && pipe2(pipes[made], O_CLOEXEC) == 0) ++made;
  const std::vector<std::string> command = ssh_command(ssh, place_);
  const pid_t parent = getpid();
  process_ = made == 3 ? fork() : -1;
  if (process_ == 0) become(command, {pipes[0][0], pipes[1][1], pipes[2][1]}, parent);
  const int error = errno;
  for (int i = 0; i < made; ++i) close(pipes[i][i == 0 ? 0 : 1]);
  if (process_ < 0) {
    for (int i = 0; i < made; ++i) close(pipes[i][i == 0 ? 1 : 0]);
    process_ = 0;
    return give_up(std::string("cannot start ssh: ") + std::strerror(error));
  }
  input_ = pipes[0][1];
  output.descriptor = pipes[1][0];
  errors.descriptor = pipes[2][0];
  for (const int end : {output.descriptor, errors.descriptor}) fcntl(end, F_SETFL, O_NONBLOCK);
}

bool SshLink::sockets_are_there() const {
  struct stat found {};
  for (const char* socket : kSshSockets)
    if (lstat((place_.here + "/" + socket).c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  return true;
}

void SshLink::take_error(const std::string& line) {
  std::string text = line;
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (text.empty()) return;
  // Before it serves, the last one is told with the outcome.
  if (state_ == State::serving) complain(text);
  last_error_ = text;
}

void SshLink::take_lines() {
  if (errors.descriptor >= 0) errors.read_lines([this](const std::string& line) { take_error(line); });
  if (output.descriptor >= 0)
    output.read_lines([this](const std::string& line) {
      if (state_ != State::starting || !tells_serving(line, place_.there)) return;
      if (sockets_are_there())
        state_ = State::serving;
      else
        give_up("ssh has no sockets in " + place_.here + (last_error_.empty() ? "" : ": " + last_error_));
    });
  if (process_ <= 0 || output.descriptor >= 0 || errors.descriptor >= 0) return;
  // Both ends are closed where ssh ends; a signal does nothing to a process that does.
  kill(process_, SIGTERM);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  close_input();
  if (state_ == State::serving) complain("the connection has ended: " + why_ssh_ended(status, last_error_));
  if (state_ == State::starting) give_up(why_ssh_ended(status, last_error_));
}

void SshLink::give_up(const std::string& why) {
  if (state_ == State::away) return;
  state_ = State::away;
  complain("is left out: " + why);
  close_input();
  send(SIGTERM);
}

void SshLink::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

bool SshLink::ended() {
  int status = 0;
  if (process_ > 0 && waitpid(process_, &status, WNOHANG) == process_) process_ = 0;
  return process_ == 0;
}

void SshLink::send(int signal) const {
  if (process_ > 0) kill(process_, signal);
}

void SshLink::complain(const std::string& text) const {
  std::fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, name_.c_str(), text.c_str());
}

}  // namespace skmd::profiler
