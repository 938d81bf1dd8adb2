// SPDX-License-Identifier: Apache-2.0
// Completion runs in one fixed order: times, status, waiters, the queue's records, callbacks, dependants. Dependants
// are started from a per-thread list instead of by recursion, because a chain of commands may be arbitrarily long.
#include "intercept/object/event.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/machine/executor.h"
#include "intercept/object/command.h"
#include "intercept/object/context.h"
#include "intercept/object/event_drain.h"
#include "intercept/object/queue.h"

namespace skmd::icd {

namespace {

bool profiles(const Ref<Queue>& queue) { return queue && (queue->properties() & CL_QUEUE_PROFILING_ENABLE) != 0; }

}  // namespace

Event::Event(Ref<Context> context, Ref<Queue> queue, cl_command_type type, Executor& executor)
    : Object(Kind::event),
      context_(std::move(context)),
      queue_(std::move(queue)),
      type_(type),
      executor_(executor),
      status_(queue_ ? CL_QUEUED : CL_SUBMITTED) {
  if (profiles(queue_)) queued_ = host_now();
}

Event::~Event() = default;

Context& Event::context() const { return queue_ ? queue_->context() : *context_; }

void Event::advance(cl_int status) {
  // It only ever falls.
  if (status <= CL_COMPLETE || status >= status_.load(std::memory_order_relaxed)) return;
  Due due;
  {
    const MutexGuard lock(mutex_);
    fall_to(status, due);
  }
  tell(std::move(due));
}

void Event::fall_to(cl_int status, Due& due) {
  if (status >= status_.load(std::memory_order_relaxed)) return;
  due.reserve(callbacks_.size());
  if (profiles(queue_) && submit_ == 0) submit_ = host_now();
  status_.store(status, std::memory_order_release);
  std::erase_if(callbacks_, [&](auto& entry) {
    if (entry.first < status) return false;
    due.push_back(std::move(entry));
    return true;
  });
}

void Event::tell(Due&& due) {
  for (auto& [type, callback] : due) call_back(type, std::move(callback));
}

void Event::call_back(cl_int told, Callback callback) {
  const auto tell = [told, callback = std::move(callback)] { callback(told); };
  try {
    executor_.post_callback(tell);
  } catch (const std::bad_alloc&) {
    tell();
  }
}

bool Event::complete(cl_int status) {
  MutexLock lock(mutex_);
  if (!take(remaining_ > 0 ? EventInput::end_early : EventInput::end)) return false;
  if (state_ == EventState::held) {
    held_status_ = status;
    return true;
  }
  conclude(std::move(lock), status);
  return true;
}

void Event::conclude(UniqueLock lock, cl_int status) {
  const Ref<Event> self(this);
  if (dependency_failed_ && status == CL_COMPLETE) status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (profiles(queue_)) fix_times();
  status_.store(status, std::memory_order_seq_cst);
  chain_.store(nullptr, std::memory_order_seq_cst);
  const auto command = std::move(command_);
  const auto posted = std::move(posted_);
  const auto dependencies = std::move(dependencies_);
  auto callbacks = std::move(callbacks_);
  Dependants dependants = std::move(dependants_);
  dependants.end = end_;
  lock.unlock();

  ended_.notify_all();
  if (queue_) queue_->ended(*this);
  // Types that were jumped over are due as well, in the order of the states.
  std::stable_sort(callbacks.begin(), callbacks.end(), [](auto& a, auto& b) { return a.first > b.first; });
  for (auto& [type, callback] : callbacks) {
    call_back(status < 0 ? status : type, std::move(callback));
  }
  if (!dependants.successors.empty() || dependants.other) release(std::move(dependants), status);
}

void Event::Dependants::release(cl_int status) const {
  const EventDrain drain;
  for (const Ref<Event>& successor : successors) successor->dependency_ended(status, end);
  if (other) other(status);
}

void Event::release(Dependants dependants, cl_int status) {
  // clSetUserEventStatus runs on the application's thread, which may hold locks of its own.
  if (type_ != CL_COMMAND_USER) return dependants.release(status);
  std::shared_ptr<Dependants> kept;
  try {
    kept = std::make_shared<Dependants>(std::move(dependants));
    executor_.post([kept, status] { kept->release(status); });
  } catch (const std::bad_alloc&) {  // then here
    (kept ? *kept : dependants).release(status);
  }
}

void Event::fix_times() {
  const std::uint64_t now = host_now();
  submit_ = std::max(submit_ == 0 ? now : submit_, queued_);
  // Nothing was done for a marker: it ended with what it waited for, however late that was noticed.
  if (start_ == 0 && end_ == 0) start_ = end_ = std::max(submit_, waited_until_);
  if (start_ == 0) start_ = now;
  if (end_ == 0) end_ = now;
  start_ = std::max(start_, submit_);
  if (queue_->in_order()) start_ = std::max(start_, queue_->last_end_.load(std::memory_order_relaxed));
  end_ = std::max(end_, start_ + 1);
  if (queue_->in_order()) queue_->last_end_.store(end_, std::memory_order_relaxed);
}

cl_int Event::wait() {
  if (ended()) return status();
  // A thread that sleeps takes tens of microseconds to wake up; this one is awake.
  while (chain_.load(std::memory_order_acquire) == nullptr && !ended() && run_what_is_open()) {
  }
  if (Device* device = chain_.load(std::memory_order_acquire)) device->help(ticket_.load(std::memory_order_acquire));
  MutexLock lock(mutex_);
  ended_.wait(lock, [&] { return ended(); });
  return status();
}

void Event::tidy() const {
  if (Device* device = chain_.load(std::memory_order_acquire)) device->tidy(ticket_.load(std::memory_order_acquire));
}

void Event::on_status(cl_int type, Callback callback) {
  {
    const MutexGuard lock(mutex_);
    const cl_int now = status();
    if (now > type) {
      callbacks_.emplace_back(type, std::move(callback));
      return;
    }
    if (now < 0) type = now;
  }
  executor_.post_callback([type, callback = std::move(callback)] { callback(type); });
}

bool Event::when_ended(std::function<void(cl_int)>&& then) noexcept {
  const MutexGuard lock(mutex_);
  if (ended()) return false;
  dependants_.other = std::move(then);
  return true;
}

void Event::set_native(Device* device, Ticket ticket) {
  ticket_.store(ticket, std::memory_order_release);
  // Against conclude() and leave_device(): one of the two sees the other's store and leaves null behind.
  chain_.store(device, std::memory_order_seq_cst);
  if (status_.load(std::memory_order_seq_cst) <= CL_COMPLETE || left_device_.load(std::memory_order_seq_cst)) {
    chain_.store(nullptr, std::memory_order_seq_cst);
    return;
  }
  // Against add_successor(): a successor that is not seen here sees the device.
  if (!followed_.load(std::memory_order_seq_cst)) return;
  // Those that wait for it may now be submitted behind it, but not from inside its own start() or run().
  for (std::size_t i = 0;; ++i) {
    Ref<Event> successor;
    {
      const MutexGuard lock(mutex_);
      if (i >= dependants_.successors.size()) return;
      successor = dependants_.successors[i];
    }
    if (EventDrain::defer(successor)) continue;
    try {
      executor_.post([successor] { EventDrain().add(successor); });
    } catch (const std::bad_alloc&) {  // it starts when this one has ended
    }
  }
}

void Event::leave_device() {
  left_device_.store(true, std::memory_order_seq_cst);
  chain_.store(nullptr, std::memory_order_seq_cst);
}

EventState Event::state() const {
  const MutexGuard lock(mutex_);
  return state_;
}

bool Event::dependency_failed() const {
  const MutexGuard lock(mutex_);
  return dependency_failed_;
}

void Event::work_started(std::uint64_t ns) {
  if (!profiled()) return;
  const MutexGuard lock(mutex_);
  start_ = start_ == 0 ? ns : std::min(start_, ns);
}

void Event::work_ended(std::uint64_t ns) {
  if (!profiled()) return;
  const MutexGuard lock(mutex_);
  end_ = std::max(end_, ns);
}

bool Event::profiled() const { return profiles(queue_); }

Result<std::uint64_t> Event::profile(cl_profiling_info name) const {
  const MutexGuard lock(mutex_);
  if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_COMPLETE)
    return domain::Error{CL_INVALID_VALUE, "param_name " + std::to_string(name) + " is not a profiling query"};
  // CL_PROFILING_INFO_NOT_AVAILABLE: no CL_QUEUE_PROFILING_ENABLE, not complete, or a user event.
  if (!profiles(queue_))
    return domain::Error{CL_PROFILING_INFO_NOT_AVAILABLE, "the event's queue has no CL_QUEUE_PROFILING_ENABLE"};
  if (status() != CL_COMPLETE)
    return domain::Error{CL_PROFILING_INFO_NOT_AVAILABLE, "the command's status is " + std::to_string(status())};
  switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
      return queued_;
    case CL_PROFILING_COMMAND_SUBMIT:
      return submit_;
    case CL_PROFILING_COMMAND_START:
      return start_;
    default:
      return end_;
  }
}

}  // namespace skmd::icd
