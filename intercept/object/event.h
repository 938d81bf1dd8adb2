// SPDX-License-Identifier: Apache-2.0
// Events are ours: a composed status, profiling on one host clock, dependants, callbacks. No native event is ever
// shown.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/backend/port/recycled.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/event_state.h"
#include "intercept/object/handle.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/inline_vector.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class Context;
class Queue;
class Command;
class Executor;
class EventDrain;
class RangeLock;

class Event : public Object, public Recycled {
 public:
  using Callback = std::function<void(cl_int status)>;

  /// `queue` null: a user event (starts SUBMITTED). With a queue, the context is the queue's and may be null here.
  Event(Ref<Context> context, Ref<Queue> queue, cl_command_type type, Executor& executor);

  [[nodiscard]] cl_int status() const { return status_.load(std::memory_order_acquire); }
  [[nodiscard]] bool ended() const { return status() <= CL_COMPLETE; }
  /// What it waits for; another thread may have changed that when this returns.
  [[nodiscard]] EventState state() const;
  [[nodiscard]] cl_command_type type() const { return type_; }
  [[nodiscard]] Context& context() const;
  [[nodiscard]] const Ref<Queue>& queue() const { return queue_; }

  /// Moves the status on to CL_SUBMITTED or CL_RUNNING, never backwards, and posts the callbacks that are due.
  void advance(cl_int status);
  /// Final, once: CL_COMPLETE or a negative code. Times are fixed, then status becomes visible, waiters wake,
  /// dependants start (on this thread, without blocking), callbacks go to the executor's callback thread. All effects
  /// of the command (residency!) must be committed before. A second call does nothing and returns false.
  bool complete(cl_int status);

  /// Blocks; returns the final status. Helps the device when the command runs on one (see set_native), and runs
  /// commands that executor threads were asked to run and have not begun: this one's, and those that it waits for.
  cl_int wait();
  /// At most once per type and registration; a late registration fires at once (on the callback thread).
  void on_status(cl_int type, Callback callback);
  /// How many of the handle's references belong to registered callbacks, not to the application.
  std::atomic<cl_uint>& lent_to_callbacks() { return lent_to_callbacks_; }
  /// Completes older batches of the command's device that have ended (Device::tidy()). Called by the thread that
  /// enqueued this command, with no lock held.
  void tidy() const;
  /// Runs `then`, which throws nothing, when this event ends. At most once per event. False, and `then` is not taken,
  /// if it has ended. Allocates nothing: what must be done when a command ends can be registered after it was enqueued.
  bool when_ended(std::function<void(cl_int)>&& then) noexcept;

  /// The command was submitted as one batch of one device: later commands for the same device may be submitted behind
  /// it without waiting, and waiters may help. Set before the submission returns to the application.
  void set_native(Device* device, Ticket ticket);
  /// After set_native(): the command is no longer on the device's queue, though it has not ended.
  void leave_device();
  /// From start() behind `device`: the command needs nothing of the device and is done, or is a marker. It ends when
  /// what it waits for has ended; what follows it may be submitted behind that.
  void chain_behind_dependencies(Device* device);
  /// Something that the command waits for has failed. Final once all of that has ended.
  [[nodiscard]] bool dependency_failed() const;
  /// The device on whose in-order queue later commands may be submitted behind this one, which is there as a whole.
  /// Null if it has ended, is on none, or reads into memory of the application's: a later command may take its bytes
  /// from there when it is submitted.
  [[nodiscard]] Device* chained_on() const {
    const bool fills = type_ == CL_COMMAND_READ_BUFFER || type_ == CL_COMMAND_READ_BUFFER_RECT;
    return fills ? nullptr : chain_.load(std::memory_order_seq_cst);  // see followed_
  }

  /// The thread that enqueues the command waits for it at once: its batch is submitted as awaited (Batch::awaited).
  /// Before start().
  void await() { awaited_ = true; }
  [[nodiscard]] bool awaited() const { return awaited_; }

  /// The kernel ended its launch before all groups had run, and said that this is no failure. Before complete().
  void end_itself() { ended_itself_.store(true, std::memory_order_release); }
  [[nodiscard]] bool ended_itself() const { return ended_itself_.load(std::memory_order_acquire); }

  // Profiling; without it they do nothing. queued and submit are set by the queue; work_started keeps the earliest,
  // work_ended the latest.
  void work_started(std::uint64_t ns);
  void work_ended(std::uint64_t ns);
  /// QUEUED ≤ SUBMIT ≤ START < END; error when not available.
  [[nodiscard]] Result<std::uint64_t> profile(cl_profiling_info name) const;
  /// profile() will be answered.
  [[nodiscard]] bool profiled() const;

 protected:
  ~Event() override;

 private:
  friend class Queue;
  friend class EventDrain;
  /// Moves the state on; false, and nothing changes, where `input` is refused.
  bool take(EventInput input) SKMD_REQUIRES(mutex_) { return kEventTransitions.apply(input, state_); }
  /// Registers with every dependency that has not ended, and starts the command if there is none. `listed`: a failure
  /// counts even if it happened before; `earlier`: predecessors of the queue, which only count while they have not
  /// ended. `self`: this event, as in what follows.
  void arm(const Ref<Event>& self, const std::vector<Ref<Event>>& listed,
           const domain::InlineVector<Ref<Event>>& earlier);
  /// Offers the command to `before`'s device while `before`, the only thing that it waits for, is on that device's
  /// queue. False: the caller has to wait for `before` and run the command; the event may then end a little after
  /// run_here() has returned.
  bool start_behind(const Ref<Event>& before, const std::shared_ptr<Command>& command);
  bool add_successor(const Ref<Event>& successor);
  /// `end`: its profiled one; 0: it has none.
  void dependency_ended(cl_int status, std::uint64_t end);
  /// Starts, or ends, what can be started or ended now. Only inside an EventDrain. `lock` is of mutex_; not analysed,
  /// since it was passed on.
  void proceed(const Ref<Event>& self, UniqueLock lock) SKMD_RELEASE(mutex_) SKMD_NOT_ANALYSED;
  void start_command(const Ref<Event>& self, Device* behind);
  void run_command(std::shared_ptr<Command> command);
  /// A command that was posted to the executor; the thread that claims it first runs it.
  struct Posted;
  void post(const std::shared_ptr<Posted>& posted);
  /// Runs this command or a dependency that is posted and still unclaimed, or helps the device that a dependency is on.
  /// Returns false if neither this command nor a near dependency is still unclaimed, and none has ended on a device.
  bool run_what_is_open();
  /// `ranges`: the command's claims; given back before the event ends.
  void run_here(std::shared_ptr<Command> command, RangeLock ranges);
  [[nodiscard]] Device* common_chain() const SKMD_REQUIRES(mutex_);
  using Due = std::vector<std::pair<cl_int, Callback>>;
  /// advance() under mutex_; tell() what is due afterwards, with no lock held.
  void fall_to(cl_int status, Due& due) SKMD_REQUIRES(mutex_);
  void tell(Due&& due);
  /// Precondition: `lock` is of mutex_, and the state became `ended` under it, which it does once. Not analysed: a lock
  /// that was passed on.
  void conclude(UniqueLock lock, cl_int status) SKMD_RELEASE(mutex_) SKMD_NOT_ANALYSED;
  void fix_times() SKMD_REQUIRES(mutex_);
  /// What waits for this event.
  struct Dependants {
    domain::InlineVector<Ref<Event>> successors;
    std::function<void(cl_int)> other;
    std::uint64_t end = 0;  // the event's, if it was profiled
    void release(cl_int status) const;
  };
  void release(Dependants dependants, cl_int status);
  void call_back(cl_int told, Callback callback);

  Ref<Context> context_;
  Ref<Queue> queue_;
  cl_command_type type_;
  Executor& executor_;
  std::atomic<cl_int> status_;
  std::atomic<Device*> chain_{nullptr};
  std::atomic<Ticket> ticket_{0};
  std::atomic<cl_uint> lent_to_callbacks_{0};
  mutable Mutex mutex_{LockRank::event};
  Condition ended_;
  Due callbacks_ SKMD_GUARDED_BY(mutex_);
  Dependants dependants_ SKMD_GUARDED_BY(mutex_);
  domain::InlineVector<Ref<Event>> dependencies_ SKMD_GUARDED_BY(mutex_);  // until started or ended; null entries never
  std::shared_ptr<Command> command_;  // until ended; null: a marker. Of the thread that took `offer` or `begin`
  std::shared_ptr<Posted> posted_ SKMD_GUARDED_BY(mutex_);  // until ended
  // The two are set by arm() before another thread has the event, and are under mutex_ from then on.
  std::size_t remaining_ = 0;  // open dependencies: those that have not reported their end
  EventState state_ = EventState::unarmed;
  bool dependency_failed_ SKMD_GUARDED_BY(mutex_) = false;
  bool awaited_ = false;               // for the thread that enqueues
  std::atomic<bool> followed_{false};  // by a successor, which looks at chain_ afterwards
  std::atomic<bool> left_device_{false};
  std::atomic<bool> ended_itself_{false};
  cl_int held_status_ SKMD_GUARDED_BY(mutex_) = CL_COMPLETE;  // of the state `held`: the command's
  static constexpr std::size_t kCovered = ~std::size_t{0};    // by a marker that stands for this command
  std::size_t open_index_ = kCovered;                         // in Queue::open_, under the queue's mutex
  std::uint64_t queued_ SKMD_GUARDED_BY(mutex_) = 0;
  std::uint64_t submit_ SKMD_GUARDED_BY(mutex_) = 0;
  std::uint64_t start_ SKMD_GUARDED_BY(mutex_) = 0;
  std::uint64_t end_ SKMD_GUARDED_BY(mutex_) = 0;
  std::uint64_t waited_until_ SKMD_GUARDED_BY(mutex_) = 0;  // the latest end of a dependency
  Ref<Event> next_pending_;                                 // in an EventDrain
  std::atomic<bool> pending_{false};
};

}  // namespace skmd::icd
