// SPDX-License-Identifier: Apache-2.0
// One host of `ssh:`: the ssh that reaches it, and what that says. For the keeper, one thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "profiler/ssh_command.h"

namespace skmd::profiler {

/// Lines that come through a pipe.
class LineReader {
 public:
  /// Of the pipe; -1: it has ended.
  int descriptor = -1;

  /// Reads what is there, without waiting; calls `take(line)` for each line that is whole, and at the end for the rest.
  template <class Take>
  void read_lines(Take take) {
    const bool more = fill();
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1))
      take(text_.substr(0, end));
    if (!more && !text_.empty()) take(text_);
    if (!more) text_.clear();
  }

 private:
  /// False at the end; the descriptor is closed then.
  bool fill();
  std::string text_;
};

class SshLink {
 public:
  enum class State { starting, serving, away };

  SshLink(std::string name, SshPlace place) : name_(std::move(name)), place_(std::move(place)) {}

  /// Makes the folder here and starts ssh; what fails leaves it away.
  void start(const std::string& ssh);
  /// Reads what ssh has written. Does not wait.
  void take_lines();
  /// Ends it, if it does not serve yet: the host is away.
  void give_up(const std::string& why);
  /// Lets skmd-serve end. It, and ssh with it, ends some time later.
  void close_input();
  /// Whether ssh has ended; does not wait.
  bool ended();
  void send(int signal) const;

  [[nodiscard]] State state() const { return state_; }
  /// Where the host is reached here; "": it is not.
  [[nodiscard]] std::string server() const { return state_ == State::serving ? "unix:" + place_.here : ""; }

  LineReader output, errors;

 private:
  void take_error(const std::string& line);
  void complain(const std::string& text) const;
  [[nodiscard]] bool sockets_are_there() const;

  std::string name_;
  SshPlace place_;
  State state_ = State::starting;
  std::string last_error_;
  pid_t process_ = 0;  // 0: none
  int input_ = -1;
};

}  // namespace skmd::profiler
