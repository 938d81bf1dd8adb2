// SPDX-License-Identifier: Apache-2.0
// An application's buffers beside plain arrays, in a world where any command may fail: what a failed command was to
// write is unknown from then on, what unknown bytes were made into is unknown, and everything else must be right.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace skmd::test {

using Words = std::vector<cl_uint>;

/// A memory object and what it must hold.
struct Object {
  cl_mem mem = nullptr;
  Words words;
  bool known = true;
};

class World {
 public:
  /// Checks what a call returned: CL_SUCCESS or one of the codes that the specification gives it. True on success.
  bool went_well(cl_int code, const char* call);
  void complain(const std::string& text);
  [[nodiscard]] bool good() const { return complaints_ == 0; }
  [[nodiscard]] std::size_t errors() const { return errors_; }

  struct Effect {
    std::vector<const Object*> reads;
    std::vector<Object*> writes;
    bool whole = true;            // writes leave nothing of what was there
    std::function<void()> apply;  // on the arrays; null: none
    std::function<void()> check;  // of what the command brought to the host
  };
  /// A command that was enqueued (`code` of the call; `event` may be null) with its effect. In the order in which
  /// commands take effect.
  void enqueued(const char* call, cl_int code, cl_event event, Effect effect);
  /// A blocking command.
  void done(const char* call, cl_int code, Effect effect);
  /// Every command has ended: effects are applied and checked, events released. `queues` are finished first.
  void settle(const std::vector<cl_command_queue>& queues);
  /// Memory of a command in flight.
  Words& host(std::size_t words) { return kept_.emplace_back(words); }
  void expect_equal(const Words& got, const Words& want, const std::string& what);

 private:
  struct Pending {
    std::string call;
    cl_int code;
    cl_event event;
    Effect effect;
  };
  void resolve(Pending& pending);
  std::vector<Pending> pending_;
  std::deque<Words> kept_;
  std::size_t complaints_ = 0, errors_ = 0;
};

}  // namespace skmd::test
