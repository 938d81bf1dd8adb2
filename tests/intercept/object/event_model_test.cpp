// SPDX-License-Identifier: Apache-2.0
// Events through random sequences of what may happen to them, beside a model of their states.
#include <atomic>
#include <new>
#include <random>
#include <thread>

#include "tests/intercept/object/event_model.h"
#include "tests/intercept/object/event_states.h"

namespace skmd::icd::test {
namespace {

constexpr cl_int kFailed = CL_OUT_OF_RESOURCES;

/// As DeviceCommand, in one of the manners of the model. Notes its event, since enqueue() may throw.
class ModelledCommand : public Command {
 public:
  ModelledCommand(Manner manner, ManualDevice& device, std::shared_ptr<Ref<Event>> event)
      : manner_(manner), device_(device), event_(std::move(event)) {}
  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override {
    EXPECT_EQ(event->state(), behind != nullptr ? EventState::offered : EventState::begun);
    *event_ = event;
    if (manner_ == Manner::throws) throw std::bad_alloc();
    if (behind != nullptr && (manner_ == Manner::alone || behind != &device_)) return false;
    submit_empty(device_, event, self);
    return true;
  }
  cl_int run(Event&) override { return CL_INVALID_OPERATION; }

 private:
  const Manner manner_;
  ManualDevice& device_;
  const std::shared_ptr<Ref<Event>> event_;
};

class EventModel : public Graph, public ::testing::WithParamInterface<unsigned> {
 protected:
  struct Real {
    Ref<Event> event;
    ModelCommand* model = nullptr;
    std::shared_ptr<std::atomic<int>> told = std::make_shared<std::atomic<int>>(0);  // by on_status()
    std::shared_ptr<int> ended = std::make_shared<int>(0);                           // by when_ended()
    bool watched = false;
  };
  std::size_t below(std::size_t count) { return random_() % count; }

  void enqueue_one(const Ref<Queue>& queue, ModelCommand*& newest) {
    const Manner manner = std::array{Manner::joins, Manner::joins,  Manner::joins,
                                     Manner::alone, Manner::marker, Manner::throws}[below(6)];
    const std::size_t device = below(ModelGraph::kDevices);
    std::vector<Ref<Event>> list;
    std::vector<ModelCommand*> listed;
    for (std::size_t k = below(4); k > 0 && !all_.empty(); --k) {
      const Real& before = all_[all_.size() - 1 - below(std::min<std::size_t>(all_.size(), 8))];
      list.push_back(before.event);
      listed.push_back(before.model);
    }
    Real real;
    const auto started = std::make_shared<Ref<Event>>();
    bool thrown = false;
    try {
      real.event = manner == Manner::marker
                       ? queue->enqueue_marker(CL_COMMAND_MARKER, list, false)
                       : queue->enqueue(CL_COMMAND_NDRANGE_KERNEL,
                                        std::make_shared<ModelledCommand>(manner, devices_[device], started), list);
    } catch (const std::bad_alloc&) {
      thrown = true;
      real.event = *started;
    }
    ModelCommand* const before = queue->in_order() ? newest : nullptr;
    real.model = &model_.enqueue(manner, device, listed, before);
    // An out-of-order queue's marker without a list follows all commands: the model has no such thing.
    if (!thrown) {
      newest = real.model;
      const auto told = real.told;
      const auto ended = real.ended;
      real.event->on_status(CL_COMPLETE, [told](cl_int) { ++*told; });
      real.watched = real.event->when_ended([ended](cl_int) { ++*ended; });
      EXPECT_EQ(real.watched, !real.model->status.has_value());
    } else {
      *real.told = 1;  // the application gets no event, and no callback
    }
    all_.push_back(std::move(real));
  }
  bool finish_one() {
    const std::size_t device = below(ModelGraph::kDevices);
    const std::size_t waiting = devices_[device].waiting();
    EXPECT_EQ(waiting, model_.on_device[device].size());
    if (waiting == 0) return false;
    const std::size_t index = below(3) != 0 ? 0 : below(waiting);  // mostly in order, as devices do
    const cl_int status = below(12) == 0 ? kFailed : CL_COMPLETE;
    devices_[device].finish_at(index, status);
    model_.finish(device, index, status);
    return true;
  }
  Device* chain_of(const ModelCommand& command) { return command.chain ? &devices_[*command.chain] : nullptr; }

  void compare(std::size_t step) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Real& real = all_[i];
      const ModelCommand& model = *real.model;
      ASSERT_EQ(real.event->state(), model.state) << "command " << i << ", step " << step;
      ASSERT_EQ(real.event->ended(), model.state == EventState::ended) << "command " << i << ", step " << step;
      ASSERT_EQ(real.event->chained_on(), chain_of(model)) << "command " << i << ", step " << step;
      if (model.status) {
        ASSERT_EQ(real.event->status(), *model.status) << i;
      }
      ASSERT_EQ(*real.ended, real.watched && model.status ? 1 : 0) << i;
      ASSERT_EQ(model.ends, model.status ? 1 : 0) << i;
    }
  }

  std::mt19937 random_{GetParam()};
  ManualDevice devices_[ModelGraph::kDevices];
  ModelGraph model_;
  std::vector<Real> all_;
};

TEST_P(EventModel, StatesEndsAndChainsAreThoseOfTheModel) {
  const Ref<Queue> queues[] = {queue(), queue()};
  ModelCommand* newest[] = {nullptr, nullptr};
  std::set<EventState> seen;
  for (std::size_t step = 0; step < 400; ++step) {
    const std::size_t q = below(2);
    if (below(5) < 3 || !finish_one()) enqueue_one(queues[q], newest[q]);
    compare(step);
    if (HasFatalFailure()) return;
    for (const auto& command : model_.commands()) seen.insert(command->state);
  }
  for (std::size_t step = 400; devices_[0].waiting() + devices_[1].waiting() > 0; ++step) {
    finish_one();
    compare(step);
    if (HasFatalFailure()) return;
  }
  for (const Real& real : all_) {
    EXPECT_EQ(real.event->state(), EventState::ended);
    EXPECT_FALSE(real.event->complete(-99)) << "once";
    while (*real.told == 0) std::this_thread::yield();
  }
  compare(0);
  for (const Real& real : all_) EXPECT_EQ(*real.told, 1);
  EXPECT_EQ(seen, (std::set<EventState>{EventState::waiting, EventState::declined, EventState::offered,
                                        EventState::begun, EventState::held, EventState::ended}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, EventModel, ::testing::Range(1u, 9u));

using DrivenEvents = Graph;

TEST_F(DrivenEvents, AUserEventIsUnarmedUntilItIsSet) {
  const auto event = user_event();
  EXPECT_EQ(event->state(), EventState::unarmed);
  EXPECT_TRUE(event->complete(CL_COMPLETE));
  EXPECT_EQ(event->state(), EventState::ended);
  EXPECT_FALSE(event->complete(-1));
  EXPECT_EQ(event->status(), CL_COMPLETE);
}

/// Ends what is waited for at once: by turns the batch asked for before those ahead of it, or behind them.
class EagerDevice : public ManualDevice {
 public:
  void help(Ticket) override {
    if (newest_first && waiting() > 1) {
      finish_at(waiting() - 1);
      if (after_newest) after_newest();
    }
    while (waiting() > 0) finish_next();
  }
  bool newest_first = false;
  std::function<void()> after_newest;
};

/// Notes the states in which a blocking call's command is asked to start and ends.
class BlockingCommand : public Command {
 public:
  BlockingCommand(ManualDevice& device, bool joins, std::vector<EventState>& seen)
      : device_(device), joins_(joins), seen_(seen) {}
  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override {
    seen_.push_back(event->state());
    if (behind != nullptr && !joins_) return false;
    Batch batch;
    batch.done = [this, event, self](BatchResult&& result) {
      seen_.push_back(event->state());
      event->complete(result.status);
      seen_.push_back(event->state());
    };
    event->set_native(&device_, device_.submit(std::move(batch)));
    return true;
  }
  cl_int run(Event&) override { return CL_INVALID_OPERATION; }

 private:
  ManualDevice& device_;
  const bool joins_;
  std::vector<EventState>& seen_;
};

class BlockingStates : public Graph {
 protected:
  std::vector<EventState> run(bool joins, bool newest_first = false) {
    EagerDevice device;
    device.newest_first = newest_first;
    std::vector<EventState> seen;
    const auto in_order = queue();
    const auto before = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
    device.after_newest = [&] { EXPECT_FALSE(before->ended()); };
    const auto event = in_order->enqueue_and_wait(CL_COMMAND_NDRANGE_KERNEL,
                                                  std::make_shared<BlockingCommand>(device, joins, seen), {});
    EXPECT_EQ(event->status(), CL_COMPLETE);
    EXPECT_EQ(event->state(), EventState::ended);
    return seen;
  }
};

TEST_F(BlockingStates, ACommandThatJoinsIsOfferedAndThenKept) {
  EXPECT_EQ(run(true), (std::vector<EventState>{EventState::offered, EventState::begun, EventState::ended}));
}

TEST_F(BlockingStates, ACommandThatEndsBeforeItsPredecessorIsHeld) {
  EXPECT_EQ(run(true, true), (std::vector<EventState>{EventState::offered, EventState::begun, EventState::held}));
}

TEST_F(BlockingStates, ACommandThatDeclinesIsKeptAndStartedByItsThread) {
  EXPECT_EQ(run(false),
            (std::vector<EventState>{EventState::offered, EventState::begun, EventState::begun, EventState::ended}));
}

// Until it is over: no event goes a way that the table does not know.
void look_on(std::mutex& mutex, const std::vector<Ref<Event>>& events, const std::atomic<bool>& over) {
  std::vector<EventState> last;
  while (!over) {
    std::vector<Ref<Event>> some;
    {
      const std::lock_guard lock(mutex);
      some = events;
    }
    last.resize(some.size(), EventState::unarmed);
    for (std::size_t i = some.size() - std::min<std::size_t>(some.size(), 32); i < some.size(); ++i) {
      const EventState now = some[i]->state();
      EXPECT_EQ(kEvents.reachable(last[i]).count(now), 1u) << kEvents.name(last[i]) << " to " << kEvents.name(now);
      if (now == EventState::ended) {
        EXPECT_TRUE(some[i]->ended());
      }
      last[i] = now;
    }
    std::this_thread::yield();
  }
}

// Threads enqueue, end batches and look on: no event goes a way that the table does not know.
TEST_F(DrivenEvents, SeenByOtherThreadsFollowTheTable) {
  constexpr std::size_t kCommands = 600;
  ManualDevice devices[ModelGraph::kDevices];
  std::mutex mutex;
  std::vector<Ref<Event>> events;
  std::atomic<std::size_t> ends{0};
  std::atomic<bool> over{false};
  const auto enqueue_all = [&](unsigned seed) {
    std::mt19937 random(seed);
    const auto in_order = queue();
    for (std::size_t i = 0; i < kCommands; ++i) {
      std::vector<Ref<Event>> list;
      {
        const std::lock_guard lock(mutex);
        if (!events.empty() && random() % 2 == 0)
          list.push_back(events[events.size() - 1 - random() % std::min<std::size_t>(events.size(), 8)]);
      }
      const auto manner = std::array{Manner::joins, Manner::joins, Manner::alone}[random() % 3];
      const auto event = in_order->enqueue(
          CL_COMMAND_NDRANGE_KERNEL,
          std::make_shared<DeviceCommand>(devices[random() % ModelGraph::kDevices], manner == Manner::joins), list);
      if (!event->when_ended([&](cl_int) { ++ends; })) ++ends;
      const std::lock_guard lock(mutex);
      events.push_back(event);
    }
  };
  const auto finish_all = [&](std::size_t device, unsigned seed) {
    std::mt19937 random(seed);
    while (ends < 2 * kCommands) {
      if (devices[device].waiting() > 0)
        devices[device].finish_next(random() % 20 == 0 ? kFailed : CL_COMPLETE);
      else
        std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  std::thread witness([&] { look_on(mutex, events, over); });
  for (unsigned t = 0; t < 2; ++t) threads.emplace_back(enqueue_all, t + 1);
  for (unsigned t = 0; t < 2; ++t) threads.emplace_back(finish_all, t, t + 3);
  for (auto& thread : threads) thread.join();
  over = true;
  witness.join();
  EXPECT_EQ(ends, 2 * kCommands);
  for (const auto& event : events) EXPECT_EQ(event->state(), EventState::ended);
}

}  // namespace
}  // namespace skmd::icd::test
