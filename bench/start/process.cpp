// SPDX-License-Identifier: Apache-2.0
#include "bench/start/process.h"

#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "bench/cpu/child.h"

namespace bench {
namespace {

/// A file in memory: unlike a pipe it never makes the writer wait, and is complete when the writer has ended.
class Memory {
 public:
  Memory() : descriptor_(memfd_create("output", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("no file in memory");
  }
  ~Memory() { close(descriptor_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  int descriptor() const { return descriptor_; }

  std::string text() const {
    std::string result;
    std::array<char, 4096> bytes{};
    for (off_t at = 0;;) {
      const ssize_t count = pread(descriptor_, bytes.data(), bytes.size(), at);
      if (count <= 0) return result;
      result.append(bytes.data(), static_cast<std::size_t>(count));
      at += count;
    }
  }

 private:
  int descriptor_;
};

pid_t start(std::vector<std::string> command, const std::map<std::string, std::string>& changes, const Memory& output,
            const Memory& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
  std::vector<std::string> variables = changed_environment(changes);
  pid_t process = -1;
  const int error = posix_spawn(&process, command[0].c_str(), &actions, nullptr, c_strings(command).data(),
                                c_strings(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(command[0] + " cannot be started");
  return process;
}

void kill_at(pid_t process, double limit) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return;
  pollfd end{descriptor, POLLIN, 0};
  if (poll(&end, 1, static_cast<int>(limit * 1000)) == 0) kill(process, SIGKILL);
  close(descriptor);
}

}  // namespace

Ended run_to_end(const std::vector<std::string>& command, const std::map<std::string, std::string>& changes,
                 double limit) {
  const Memory output, errors;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t process = start(command, changes, output, errors);
  kill_at(process, limit);
  int status = 0;
  waitpid(process, &status, 0);
  Ended ended;
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.output = output.text();
  ended.errors = errors.text();
  return ended;
}

nlohmann::json answer_of(const std::vector<std::string>& command, const Ended& ended) {
  auto answer = nlohmann::json::parse(ended.output, nullptr, false);
  if (ended.status == 0 && answer.is_object() && answer.value("ok", false)) return answer;
  std::string text;
  for (const std::string& word : command) text += word + " ";
  throw std::runtime_error(text + "ended with " + std::to_string(ended.status) + ": " + ended.errors + ended.output);
}

int keep_to_two_processors() {
  cpu_set_t allowed, chosen;
  CPU_ZERO(&chosen);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) throw std::runtime_error("the processors are not told");
  int count = 0;
  for (int i = 0; i < CPU_SETSIZE && count < 2; ++i) {
    if (!CPU_ISSET(i, &allowed)) continue;
    CPU_SET(i, &chosen);
    ++count;
  }
  if (sched_setaffinity(0, sizeof chosen, &chosen) != 0) throw std::runtime_error("the processors cannot be chosen");
  return count;
}

}  // namespace bench
