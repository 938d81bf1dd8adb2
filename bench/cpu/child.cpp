// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace bench {

std::vector<char*> c_strings(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> changed_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!changes.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
  return result;
}

namespace {

/// Reading end, writing end; other children do not inherit them.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return ends;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const std::map<std::string, std::string>& changes)
    : name_(command.at(0)) {
  std::signal(SIGPIPE, SIG_IGN);  // a child that has ended is an error of ask()
  const auto to = make_pipe(), from = make_pipe();
  requests_ = to[1];
  answers_ = from[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  std::vector<std::string> arguments = command, variables = changed_environment(changes);
  const int error = posix_spawn(&process_, name_.c_str(), &actions, nullptr, c_strings(arguments).data(),
                                c_strings(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  if (error == 0) return;
  close(requests_);
  close(answers_);
  throw std::runtime_error(name_ + " cannot be started");
}

Child::~Child() {
  close(requests_);
  close(answers_);
  int status = 0;
  waitpid(process_, &status, 0);
}

nlohmann::json Child::ask(const std::string& request) {
  const std::string line = request + "\n";
  if (write(requests_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error(name_ + " has ended");
  for (;;) {
    const std::size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      auto answer = nlohmann::json::parse(unread_.substr(0, end), nullptr, false);
      unread_.erase(0, end + 1);
      if (answer.is_discarded()) throw std::runtime_error(name_ + " did not answer with JSON");
      return answer;
    }
    std::array<char, 4096> bytes{};
    const ssize_t count = read(answers_, bytes.data(), bytes.size());
    if (count <= 0) throw std::runtime_error(name_ + " ended when asked to " + request);
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bench
