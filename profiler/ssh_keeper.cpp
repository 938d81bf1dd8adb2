// SPDX-License-Identifier: Apache-2.0
#include "profiler/ssh_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "profiler/ssh_constants.h"
#include "profiler/ssh_link.h"

namespace skmd::profiler {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A name that no other user can have taken before; "": the system gives no random numbers.
std::string folder_there() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return "";
  std::string name = kFolderThere;
  for (const unsigned byte : bytes)
    for (const unsigned half : {byte >> 4U, byte & 15U}) name += "0123456789abcdef"[half];
  return name;
}

class Keeper {
 public:
  explicit Keeper(const SshKeeping& keeping) : keeping_(keeping) {}

  void run() {
    folder_ = kFolderHere;
    if (mkdtemp(folder_.data()) == nullptr) {
      std::fprintf(stderr, "%s: cannot make a folder in /tmp: %s\n", program_invocation_short_name,
                   std::strerror(errno));
      return;
    }
    start();
    const Clock::time_point end = Clock::now() + kSshServing;
    while (!over_ && starting() && Clock::now() < end) take(end);
    for (SshLink& link : links_)
      if (!over_ && link.state() == SshLink::State::starting)
        link.give_up("does not serve after " + std::to_string(kSshServing.count()) + " s");
    if (!over_) answer();
    while (!over_) take(std::nullopt);
    end_all();
  }

 private:
  void start() {
    links_.reserve(keeping_.names.size());
    for (const std::string& name : keeping_.names) {
      const std::string here = folder_ + "/" + std::to_string(links_.size()), there = folder_there();
      links_.emplace_back(name, SshPlace{name.substr(std::strlen("ssh:")), here, there});
      if (there.empty())
        links_.back().give_up("the system gives no random numbers");
      else
        links_.back().start(keeping_.ssh);
    }
  }

  [[nodiscard]] bool starting() const {
    return std::any_of(links_.begin(), links_.end(),
                       [](const SshLink& link) { return link.state() == SshLink::State::starting; });
  }

  /// Waits until something comes, or `end`.
  void take(std::optional<Clock::time_point> end) {
    std::vector<pollfd> sources = {{keeping_.lifeline, POLLIN, 0}};
    for (const SshLink& link : links_)
      for (const LineReader* reader : {&link.output, &link.errors}) sources.push_back({reader->descriptor, POLLIN, 0});
    int time = -1;
    if (end) {
      const auto left = std::chrono::ceil<milliseconds>(*end - Clock::now()).count();
      time = static_cast<int>(std::max<long>(left, 0));
    }
    if (poll(sources.data(), sources.size(), time) <= 0) return;
    if (sources.front().revents != 0) over_ = true;  // nothing is ever written into it
    for (std::size_t i = 1; i < sources.size(); ++i)
      if (sources[i].revents != 0) links_[(i - 1) / 2].take_lines();
  }

  void answer() {
    std::string text;
    for (const SshLink& link : links_) text += link.server() + "\n";
    // 64 lines at most, for which a pipe has room.
    [[maybe_unused]] const ssize_t written = write(keeping_.answer, text.data(), text.size());
    close(keeping_.answer);
  }

  void wait(std::chrono::seconds time) {
    const Clock::time_point end = Clock::now() + time;
    const auto all_ended = [&] {
      bool all = true;
      for (SshLink& link : links_) all = link.ended() && all;
      return all;
    };
    while (!all_ended() && Clock::now() < end) poll(nullptr, 0, 5);
  }

  void end_all() {
    for (SshLink& link : links_) {
      link.close_input();
      if (link.state() == SshLink::State::starting)
        link.send(SIGTERM);  // there is nothing yet that could end by itself
    }
    wait(kSshEnding);
    for (const int signal : {SIGTERM, SIGKILL}) {
      for (const SshLink& link : links_) link.send(signal);
      wait(std::chrono::seconds(1));
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  const SshKeeping& keeping_;
  std::string folder_;
  std::vector<SshLink> links_;
  bool over_ = false;
};

}  // namespace

void keep_ssh(const SshKeeping& keeping) {
  setsid();
  // What reads the application's output is not to wait for this process.
  if (const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
  }
  // This process ends, having cleaned up, when its lifeline does. A signal to a whole group or job does not end it.
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would make ssh's status vanish
  try {
    Keeper(keeping).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: ssh: %s\n", program_invocation_short_name, error.what());
  }
  _exit(0);
}

}  // namespace skmd::profiler
