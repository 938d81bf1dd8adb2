// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/queue.h"

#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/machine/busy_clock.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/context.h"

namespace skmd::icd {

Queue::Queue(Ref<Context> context, cl_command_queue_properties properties,
             std::vector<cl_queue_properties> property_list, Executor& executor, Ref<VirtualDevice> device)
    : Object(Kind::queue),
      context_(std::move(context)),
      device_(std::move(device)),
      properties_(properties),
      property_list_(std::move(property_list)),
      executor_(executor) {
  context_->machine().command_streams.fetch_add(streams(), std::memory_order_relaxed);
}

Queue::~Queue() { context_->machine().command_streams.fetch_sub(streams(), std::memory_order_relaxed); }

Ref<Event> Queue::enter(cl_command_type type, std::shared_ptr<Command> command, bool list_given, Order order,
                        domain::InlineVector<Ref<Event>>& earlier) {
  auto event = make_object<Event>(Ref<Context>(), Ref<Queue>(this), type, executor_);
  event->command_ = std::move(command);
  const MutexGuard lock(mutex_);
  if (in_order()) {
    if (last_ && !last_->ended()) earlier.push_back(std::move(last_));
    last_ = event;
    newest_.store(event.get(), std::memory_order_relaxed);
    if (BusyClock* clock = BusyClock::get()) clock->began(host_now);
    return event;
  }
  // Without a list, a marker or barrier follows everything before it; with one, that list only (and barriers).
  if (order != Order::command && !list_given) {
    earlier.reserve(open_.size());
    for (Ref<Event>& covered : open_) {
      covered->open_index_ = Event::kCovered;
      earlier.push_back(std::move(covered));
    }
    open_.clear();
  } else if (barrier_) {
    earlier.push_back(barrier_);
  }
  event->open_index_ = open_.size();
  open_.push_back(event);
  if (order == Order::barrier) barrier_ = event;
  if (BusyClock* clock = BusyClock::get()) clock->began(host_now);
  return event;
}

void Queue::ended(Event& event) {
  if (BusyClock* clock = BusyClock::get()) clock->ended(host_now);
  // Once a newer command has come, there is nothing to drop.
  if (in_order() && newest_.load(std::memory_order_seq_cst) != &event) return;
  Ref<Event> dropped;  // outside the lock
  Ref<Event> dropped_barrier;
  const MutexGuard lock(mutex_);
  if (in_order()) {
    if (last_.get() == &event) dropped = std::move(last_);
    return;
  }
  if (event.open_index_ != Event::kCovered) {
    dropped = std::move(open_[event.open_index_]);
    if (event.open_index_ + 1 != open_.size()) {
      open_[event.open_index_] = std::move(open_.back());
      open_[event.open_index_]->open_index_ = event.open_index_;
    }
    open_.pop_back();
  }
  if (barrier_.get() == &event) dropped_barrier = std::move(barrier_);
}

void Queue::withdraw(Event& event, const domain::InlineVector<Ref<Event>>& earlier) {
  {
    const MutexGuard lock(mutex_);
    if (last_.get() == &event) {
      Event* const before = earlier.empty() ? nullptr : earlier.back().get();
      last_ = Ref<Event>(before);
      newest_.store(before, std::memory_order_seq_cst);
      // One that has ended leaves the queue no more, and would keep it alive. Against ended(): one of the two sees what
      // the other has stored.
      if (last_ && last_->status_.load(std::memory_order_seq_cst) <= CL_COMPLETE) last_ = nullptr;
    }
    if (barrier_.get() == &event) {
      barrier_ = nullptr;
      for (const Ref<Event>& before : earlier)
        if (before->type() == CL_COMMAND_BARRIER && !before->ended()) barrier_ = before;
    }
  }
  event.complete(CL_OUT_OF_HOST_MEMORY);
}

template <class Body>
void Queue::or_withdraw(Event& event, const domain::InlineVector<Ref<Event>>& earlier, Body&& body) {
  try {
    body();
  } catch (...) {  // bad_alloc: nothing else is thrown below here
    withdraw(event, earlier);
    throw;
  }
}

Ref<Event> Queue::enqueue(cl_command_type type, std::shared_ptr<Command> command,
                          const std::vector<Ref<Event>>& wait_list) {
  domain::InlineVector<Ref<Event>> earlier;
  Ref<Event> event = enter(type, std::move(command), !wait_list.empty(), Order::command, earlier);
  or_withdraw(*event, earlier, [&] {
    event->arm(event, wait_list, earlier);
    event->tidy();
  });
  return event;
}

Ref<Event> Queue::enqueue_marker(cl_command_type type, const std::vector<Ref<Event>>& wait_list, bool barrier) {
  domain::InlineVector<Ref<Event>> earlier;
  Ref<Event> event = enter(type, nullptr, !wait_list.empty(), barrier ? Order::barrier : Order::marker, earlier);
  or_withdraw(*event, earlier, [&] { event->arm(event, wait_list, earlier); });
  return event;
}

Ref<Event> Queue::enqueue_and_wait(cl_command_type type, std::shared_ptr<Command> command,
                                   const std::vector<Ref<Event>>& wait_list) {
  domain::InlineVector<Ref<Event>> earlier;
  Ref<Event> event = enter(type, nullptr, !wait_list.empty(), Order::command, earlier);
  event->await();
  if (earlier.size() == 1 && wait_list.empty()) {
    bool started = false;
    or_withdraw(*event, earlier, [&] { started = event->start_behind(earlier.front(), command); });
    if (started) {
      event->wait();
      return event;
    }
  }
  // Predecessors count only if they had not ended when this was queued: enter() told exactly those.
  bool failed = false;
  for (const Ref<Event>& predecessor : earlier) failed |= predecessor->wait() < 0;
  for (const Ref<Event>& listed : wait_list) failed |= listed->wait() < 0;
  if (failed) {
    event->complete(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    event->wait();
    return event;
  }
  or_withdraw(*event, earlier, [&] {
    event->advance(CL_SUBMITTED);
    if (command->start(nullptr, event, command)) {
      event->wait();
    } else {
      RangeLock ranges = RangeLock::take(command->claims());
      event->run_here(std::move(command), std::move(ranges));
      event->wait();
    }
  });
  return event;
}

std::size_t Queue::frontier() const {
  const MutexGuard lock(mutex_);
  return in_order() ? (last_ ? 1 : 0) : open_.size();
}

void Queue::finish() {
  std::vector<Ref<Event>> open;
  {
    const MutexGuard lock(mutex_);
    open = open_;
    if (last_) open.push_back(last_);
  }
  for (const Ref<Event>& event : open) event->wait();
}

}  // namespace skmd::icd
