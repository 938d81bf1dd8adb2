// SPDX-License-Identifier: Apache-2.0
// Queues over a machine without real work: commands are functions, and a device whose batches end when the test says
// so.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "intercept/object/context.h"
#include "intercept/object/queue.h"
#include "tests/intercept/launch/fake_device.h"

namespace skmd::icd::test {

/// Declines start(): runs on an executor thread.
class FunctionCommand : public Command {
 public:
  explicit FunctionCommand(std::function<cl_int()> body) : body_(std::move(body)) {}
  cl_int run(Event&) override { return body_(); }

 private:
  std::function<cl_int()> body_;
};

inline std::shared_ptr<Command> make_step(std::function<cl_int()> body) {
  return std::make_shared<FunctionCommand>(std::move(body));
}

/// Keeps batches until finish_next(), in order.
class ManualDevice : public FakeDevice {
 public:
  ManualDevice() : FakeDevice("manual", true, {}) {}
  Ticket submit(Batch&& batch) override {
    const std::lock_guard lock(held_mutex_);
    held_.push_back(std::move(batch));
    return ++tickets_;
  }
  void help(Ticket ticket) override { helped = ticket; }
  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock(held_mutex_);
    return held_.size();
  }
  void finish_next(cl_int status = CL_SUCCESS) { finish_at(0, status); }
  void finish_at(std::size_t index, cl_int status = CL_SUCCESS) {
    Batch batch;
    {
      const std::lock_guard lock(held_mutex_);
      batch = std::move(held_.at(index));
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
    }
    BatchResult result;
    result.status = status;
    batch.done(std::move(result));
  }
  std::atomic<Ticket> helped{0};

 private:
  std::mutex held_mutex_;
  std::vector<Batch> held_;
  Ticket tickets_ = 0;
};

/// An empty batch on `device`, at whose end `event` ends. Keeps the command alive until then.
inline void submit_empty(ManualDevice& device, const Ref<Event>& event, const std::shared_ptr<Command>& command) {
  Batch batch;
  batch.done = [event, command](BatchResult&& result) { event->complete(result.status); };
  event->set_native(&device, device.submit(std::move(batch)));
}

/// Starts on `device` and, if it `joins`, also behind other work of it.
class DeviceCommand : public Command {
 public:
  explicit DeviceCommand(ManualDevice& device, bool joins = true) : device_(device), joins_(joins) {}
  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override {
    if (behind != nullptr && (behind != &device_ || !joins_)) return false;
    submit_empty(device_, event, self);
    return true;
  }
  cl_int run(Event&) override { return CL_INVALID_OPERATION; }

 private:
  ManualDevice& device_;
  const bool joins_;
};

class Graph : public ::testing::Test {
 protected:
  Graph() {
    machine.executor = &executor;
    context = make_object<Context>(machine, std::vector<cl_context_properties>{}, nullptr, nullptr);
  }
  Ref<Queue> queue(cl_command_queue_properties properties = 0) {
    return make_object<Queue>(context, properties, std::vector<cl_queue_properties>{}, executor);
  }
  Ref<Event> user_event() { return make_object<Event>(context, nullptr, CL_COMMAND_USER, executor); }
  static Ref<Event> enqueue(const Ref<Queue>& queue, std::function<cl_int()> body,
                            const std::vector<Ref<Event>>& list = {}) {
    return queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, make_step(std::move(body)), list);
  }

  Machine machine;
  Executor executor;
  Ref<Context> context;
};

inline constexpr cl_int kDependencyFailed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

}  // namespace skmd::icd::test
