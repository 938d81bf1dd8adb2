// SPDX-License-Identifier: Apache-2.0
// How a command gets from its dependencies to its start.
#include "intercept/object/event_drain.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/machine/executor.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/command.h"
#include "intercept/object/object_constants.h"
#include "intercept/object/queue.h"

namespace skmd::icd {

namespace {

using namespace tuning;

constinit thread_local EventDrain* current_drain = nullptr;
}  // namespace

EventDrain::EventDrain() : outer_(current_drain) {
  if (outer_ == nullptr) current_drain = this;
}

EventDrain::~EventDrain() {
  if (outer_ != nullptr) return;
  while (first_) {
    // Taken out first: proceed() may add to the list.
    const Ref<Event> event = std::move(first_);
    first_ = std::move(event->next_pending_);
    if (!first_) last_ = nullptr;
    event->pending_.exchange(false, std::memory_order_acq_rel);
    try {
      event->proceed(event, MutexLock(event->mutex_));
    } catch (const std::exception&) {  // bad_alloc: nothing else is thrown below here
      event->complete(CL_OUT_OF_HOST_MEMORY);
    }
  }
  current_drain = nullptr;
}

void EventDrain::append(const Ref<Event>& event) noexcept {
  // Already in some thread's list: that thread will see what this one has changed, since it takes the mark away first.
  if (event->pending_.exchange(true, std::memory_order_acq_rel)) return;
  (last_ == nullptr ? first_ : last_->next_pending_) = event;
  last_ = event.get();
}

void EventDrain::add(const Ref<Event>& event) noexcept { (outer_ == nullptr ? this : outer_)->append(event); }

bool EventDrain::defer(const Ref<Event>& event) noexcept {
  if (current_drain == nullptr) return false;
  current_drain->append(event);
  return true;
}

void Event::arm(const Ref<Event>& self, const std::vector<Ref<Event>>& listed,
                const domain::InlineVector<Ref<Event>>& earlier) {
  // One more than can be reported, so that nothing starts before all are registered.
  const std::size_t most = listed.size() + earlier.size();
  remaining_ = most + 1;
  kEventTransitions.apply(EventInput::arm, state_);  // as take(): no other thread has the event yet
  std::size_t registered = 0;
  bool failed = false;
  domain::InlineVector<Ref<Event>> open;
  open.reserve(most);
  const auto depend = [&](const Ref<Event>& event, bool counts_if_over) {
    if (event->add_successor(self)) {
      open.push_back(event);
      ++registered;
    } else if (counts_if_over && event->status() < 0) {
      failed = true;
    }
  };
  for (const Ref<Event>& event : listed) depend(event, true);
  for (const Ref<Event>& event : earlier) depend(event, false);
  EventDrain drain;
  MutexLock lock(mutex_);
  dependencies_ = std::move(open);
  remaining_ -= most - registered + 1;
  dependency_failed_ = dependency_failed_ || failed;
  if (drain.outermost()) return proceed(self, std::move(lock));
  lock.unlock();
  drain.add(self);
}

bool Event::start_behind(const Ref<Event>& before, const std::shared_ptr<Command>& command) {
  Device* const device = before->chained_on();
  if (device == nullptr) return false;
  const Ref<Event> self(this);
  {
    const MutexGuard lock(mutex_);
    dependencies_.push_back(before);
    remaining_ = 1;
    take(EventInput::offer);
  }
  // In every case this event counts as begun: the caller waits for it, and runs the command if start() declined.
  const auto settle = [&](bool registered) {
    const MutexGuard lock(mutex_);
    if (!registered) remaining_ = 0;
    take(EventInput::settle);  // refused where the command has ended meanwhile
    dependencies_.clear();
  };
  bool registered = false;
  bool started = false;
  try {
    registered = before->add_successor(self);
    started = registered && command->start(device, self, command);
  } catch (...) {  // bad_alloc: nothing else is thrown below here
    settle(registered);
    throw;
  }
  settle(registered);
  return started;
}

bool Event::add_successor(const Ref<Event>& successor) {
  const MutexGuard lock(mutex_);
  if (ended()) return false;
  dependants_.successors.push_back(successor);
  followed_.store(true, std::memory_order_seq_cst);
  return true;
}

void Event::dependency_ended(cl_int status, std::uint64_t end) {
  bool look = false;
  if (end == 0 && profiled()) end = host_now();
  {
    const MutexGuard lock(mutex_);
    waited_until_ = std::max(waited_until_, end);
    --remaining_;
    if (status < 0) dependency_failed_ = true;
    look = waits(state_) || (remaining_ == 0 && state_ == EventState::held);
  }
  if (look) EventDrain().add(Ref<Event>(this));
}

// Under mutex_: the device behind whose queue everything that is still running has been submitted.
Device* Event::common_chain() const {
  Device* common = nullptr;
  for (const Ref<Event>& event : dependencies_) {
    const cl_int status = event->status();
    if (status < 0) return nullptr;
    if (status == CL_COMPLETE) continue;
    Device* device = event->chained_on();
    if (device == nullptr || (common != nullptr && common != device)) return nullptr;
    common = device;
  }
  return common;
}

void Event::proceed(const Ref<Event>& self, UniqueLock lock) {
  if (!waits(state_)) {
    if (remaining_ == 0 && take(EventInput::release)) conclude(std::move(lock), held_status_);
    return;
  }
  Device* behind = nullptr;
  if (remaining_ == 0) {
    take(EventInput::begin);
    dependencies_.clear();
    if (dependency_failed_) {
      take(EventInput::end);
      conclude(std::move(lock), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      return;
    }
  } else {
    behind = state_ == EventState::declined ? nullptr : common_chain();
    if (behind == nullptr) return;
    take(EventInput::offer);
  }
  Due due;
  fall_to(CL_SUBMITTED, due);
  lock.unlock();
  tell(std::move(due));
  start_command(self, behind);
}

void Event::start_command(const Ref<Event>& self, Device* behind) {
  std::shared_ptr<Command> command = std::move(command_);
  if (command == nullptr) {
    if (behind != nullptr) chain_behind_dependencies(behind);
    complete(CL_COMPLETE);
    return;
  }
  if (command->start(behind, self, command)) return;
  if (behind == nullptr) {
    run_command(std::move(command));
    return;
  }
  {
    const MutexGuard lock(mutex_);
    command_ = std::move(command);
    take(EventInput::decline);
  }
  // The last dependency may have ended while start() was asked.
  EventDrain::defer(self);
}

// A marker occupies nothing on the device; what follows it may still be submitted behind what it follows.
void Event::chain_behind_dependencies(Device* device) {
  Ticket newest = 0;
  {
    const MutexGuard lock(mutex_);
    for (const Ref<Event>& event : dependencies_)
      newest = std::max(newest, event->ticket_.load(std::memory_order_acquire));
    dependencies_.clear();
  }
  set_native(device, newest);
}

struct Event::Posted {
  Posted(Ref<Event> its_event, std::shared_ptr<Command> its_command)
      : event(std::move(its_event)), command(std::move(its_command)), foreign(command->runs_foreign_code()) {}
  Ref<Event> event;
  std::shared_ptr<Command> command;
  const bool foreign;
  RangeLock ranges;
  std::atomic<bool> claimed{false};

  bool claim() { return !claimed.exchange(true); }
  /// Once, by the thread that claimed it. Keeps nothing of the command: other threads may still hold this object.
  void run() {
    const Ref<Event> self = std::move(event);
    self->run_here(std::move(command), std::move(ranges));
  }
  void give_up() {
    const Ref<Event> self = std::move(event);
    command.reset();
    ranges.release();
    self->complete(CL_OUT_OF_HOST_MEMORY);
  }
};

void Event::run_command(std::shared_ptr<Command> command) {
  std::vector<Claim> claims = command->claims();
  auto posted = std::make_shared<Posted>(Ref<Event>(this), std::move(command));
  RangeLock::request(std::move(claims), [posted = std::move(posted)](RangeLock ranges) {
    posted->ranges = std::move(ranges);
    posted->event->post(posted);
  });
}

void Event::post(const std::shared_ptr<Posted>& posted) {
  const Ref<Event> self(this);  // a thread that claims it may end it before this returns
  {
    const MutexGuard lock(mutex_);
    posted_ = posted;
  }
  try {
    executor_.post([posted] {
      if (posted->claim()) posted->run();
    });
  } catch (const std::bad_alloc&) {
    if (posted->claim()) posted->give_up();
  }
}

bool Event::run_what_is_open() {
  Ref<Event> at(this);
  for (int steps = 0; steps < kFarthest; ++steps) {
    std::shared_ptr<Posted> posted;
    Ref<Event> before;
    {
      const MutexGuard lock(at->mutex_);
      posted = at->posted_;
      for (const Ref<Event>& event : at->dependencies_)
        if (!before && !event->ended()) before = event;
    }
    if (posted && !posted->foreign && posted->claim()) {
      posted->run();
      return true;
    }
    if (!before) return false;
    if (Device* device = before->chain_.load(std::memory_order_acquire)) {
      device->help(before->ticket_.load(std::memory_order_acquire));
      return before->ended();
    }
    at = std::move(before);
  }
  return false;
}

void Event::run_here(std::shared_ptr<Command> command, RangeLock ranges) {
  advance(CL_RUNNING);
  cl_int status = CL_OUT_OF_HOST_MEMORY;
  try {
    status = command->run(*this);
  } catch (const std::exception&) {  // bad_alloc: nothing else is thrown below here
  }
  if (status == Command::kRunAgain) {
    status = CL_OUT_OF_HOST_MEMORY;
    try {
      // The ranges are asked for again before they are given back: commands that wait have their turn, and those that
      // come from now on wait. An application that reads in a loop would otherwise keep the command from its ranges.
      run_command(std::move(command));
      return ranges.release();
    } catch (const std::bad_alloc&) {  // it was not passed on
    }
  }
  // What the command held is released before its end becomes visible, so that a release by the application afterwards
  // is the last one.
  ranges.release();
  command.reset();
  complete(status);
}

}  // namespace skmd::icd
