// SPDX-License-Identifier: Apache-2.0
#include "profiler/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "profiler/exec.h"

namespace skmd::profiler {

namespace {

constexpr int kForwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM};

[[noreturn]] void become(const std::vector<std::string>& command, const sigset_t& mask, pid_t parent, int report) {
  // SIGKILL cannot be passed on by the parent.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const std::vector<char*> arguments = exec_arguments(command);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

/// Passes signals on until the child has ended.
int wait_forwarding(pid_t child, const sigset_t& waited) {
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (WIFEXITED(status)) return WEXITSTATUS(status);
      if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    }
    siginfo_t info{};
    const int signal = sigwaitinfo(&waited, &info);
    // Ctrl-C and its like come from the kernel, to the whole foreground group.
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(child, signal);
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, const sigset_t* mask) {
  ChildResult result;
  sigset_t waited, before;
  sigemptyset(&waited);
  sigaddset(&waited, SIGCHLD);
  for (const int signal : kForwarded) sigaddset(&waited, signal);
  sigprocmask(SIG_BLOCK, &waited, &before);
  // A parent that ignores SIGCHLD would make the child's status vanish.
  signal(SIGCHLD, SIG_DFL);

  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return {126, std::strerror(errno)};
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) become(command, mask != nullptr ? *mask : before, self, report[1]);
  const int fork_error = errno;
  close(report[1]);
  int error = 0;
  ssize_t got = 0;
  while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
  }
  close(report[0]);
  if (child < 0) {
    result = {126, std::strerror(fork_error)};
  } else {
    result.status = wait_forwarding(child, waited);
    if (got == sizeof error) result = {error == ENOENT ? 127 : 126, std::strerror(error)};
  }
  // One that came too late for the child must not end this process, which has to clean up behind it.
  const timespec no_time{};
  while (sigtimedwait(&waited, nullptr, &no_time) > 0) {
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return result;
}

}  // namespace skmd::profiler
