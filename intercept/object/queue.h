// SPDX-License-Identifier: Apache-2.0
// A command-queue: the dependency graph of its commands. In-order queues chain each command to the one before;
// out-of-order ones know only wait lists, markers and barriers. Native queues are the adapters' business.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "intercept/object/command.h"
#include "intercept/object/virtual_device.h"
#include "partitioner/base/inline_vector.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class Queue : public Object {
 public:
  Queue(Ref<Context> context, cl_command_queue_properties properties, std::vector<cl_queue_properties> property_list,
        Executor& executor, Ref<VirtualDevice> device = nullptr);

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] const Ref<VirtualDevice>& device() const { return device_; }  ///< of `context`
  [[nodiscard]] cl_command_queue_properties properties() const { return properties_; }
  [[nodiscard]] const std::vector<cl_queue_properties>& property_list() const { return property_list_; }
  [[nodiscard]] bool in_order() const { return !(properties_ & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }

  /// Never blocks on work. The command starts when everything it depends on has ended well; a failed dependency (or
  /// failed predecessor of an in-order queue that was already queued) ends it with
  /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.
  Ref<Event> enqueue(cl_command_type type, std::shared_ptr<Command> command, const std::vector<Ref<Event>>& wait_list);
  /// Marker: with an empty list, after all earlier commands. Barrier: also holds back all later ones.
  Ref<Event> enqueue_marker(cl_command_type type, const std::vector<Ref<Event>>& wait_list, bool barrier);

  /// As enqueue(), for blocking calls: the calling thread waits for the dependencies and runs the command itself, so
  /// that no other thread has to be woken. The event has ended when this returns.
  Ref<Event> enqueue_and_wait(cl_command_type type, std::shared_ptr<Command> command,
                              const std::vector<Ref<Event>>& wait_list);

  /// Blocks until everything enqueued so far has ended.
  void finish();

  /// How many commands a marker without a list would register with now.
  [[nodiscard]] std::size_t frontier() const;

 protected:
  ~Queue() override;

 private:
  friend class Event;
  [[nodiscard]] std::uint32_t streams() const { return in_order() ? 1 : 2; }  ///< of Machine::command_streams
  enum class Order : std::uint8_t { command, marker, barrier };
  /// Makes the event and enters it into the queue; sets `earlier` to what it has to wait for beside its wait list.
  Ref<Event> enter(cl_command_type type, std::shared_ptr<Command> command, bool list_given, Order order,
                   domain::InlineVector<Ref<Event>>& earlier);
  void ended(Event& event);
  /// For a command whose call fails for lack of host memory: ends it, and lets later commands follow those before it.
  void withdraw(Event& event, const domain::InlineVector<Ref<Event>>& earlier);
  template <class Body>
  void or_withdraw(Event& event, const domain::InlineVector<Ref<Event>>& earlier, Body&& body);

  Ref<Context> context_;
  const Ref<VirtualDevice> device_;
  cl_command_queue_properties properties_;
  std::vector<cl_queue_properties> property_list_;
  Executor& executor_;
  mutable Mutex mutex_{LockRank::queue};
  Ref<Event> last_ SKMD_GUARDED_BY(mutex_);  // in-order: the newest command; null once it has ended
  /// In-order: the last that was entered, which may have ended. Written under mutex_.
  std::atomic<const Event*> newest_{nullptr};
  Ref<Event> barrier_ SKMD_GUARDED_BY(mutex_);  // out-of-order: the newest barrier; null once it has ended
  /// Out-of-order: commands that have not ended. A marker or barrier without a list takes them over and stands for all
  /// of them from then on, since it ends after them: each command is registered with once, however many markers follow.
  std::vector<Ref<Event>> open_ SKMD_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> last_end_{0};  // in-order: END of the newest ended command
};

}  // namespace skmd::icd
