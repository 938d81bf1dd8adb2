// SPDX-License-Identifier: Apache-2.0
// Transfers that were submitted behind a launch, and that have overwritten what it read when it turns out to have
// failed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <numeric>
#include <random>
#include <thread>

#include "intercept/command/transfer.h"
#include "intercept/launch/make_launch.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 32768;
constexpr std::uint64_t kBytes = kItems * sizeof(std::uint32_t);
using Words = std::vector<std::uint32_t>;

Words ramp(std::uint32_t first) {
  Words values(kItems);
  std::iota(values.begin(), values.end(), first);
  return values;
}

Words doubled(const Words& y, const Words& x) {
  Words sum(kItems);
  for (std::size_t i = 0; i < kItems; ++i) sum[i] = y[i] + 2 * x[i];
  return sum;
}

struct World : FakeMachine {
  World() : FakeMachine({true, true}, "single:0"), x(filled(10)), y(filled(5000)) {}
  std::shared_ptr<Storage> filled(std::uint32_t first) {
    auto made = storage(kBytes);
    write(made, 0, ramp(first).data(), kBytes);
    return made;
  }
  Ref<Event> axpy(const std::shared_ptr<Storage>& to, const std::shared_ptr<Storage>& from) {
    return launch(add, line(kItems, 64), {whole(to), whole(from), value_of(2u)});
  }
  Ref<Event> enqueue_write(const std::shared_ptr<Storage>& to, Words& words) {
    return queue->enqueue(
        CL_COMMAND_WRITE_BUFFER,
        make_write(to, RectRegion::linear(0, kBytes), {reinterpret_cast<std::byte*>(words.data()), 0, 0}), {});
  }
  Words contents(const std::shared_ptr<Storage>& storage) {
    Words words(kItems);
    read(storage, 0, words.data(), kBytes);
    return words;
  }
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits());
  Ref<Queue> other = make_object<Queue>(context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{},
                                        *machine.executor);
};

TEST(Overwritten, WhatAWriteReplacedIsThereForTheFailedLaunch) {
  World w;
  EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE);  // from now on the device is who uses them
  Words words = ramp(77);
  w.fakes[0]->pause();
  w.fakes[0]->refuse_runs = 1;
  const auto launch = w.axpy(w.y, w.x);
  const auto write = w.enqueue_write(w.x, words);
  EXPECT_EQ(write->chained_on(), w.fakes[0].get());
  w.fakes[0]->resume();
  EXPECT_EQ(launch->wait(), CL_COMPLETE) << "host memory has what x was before";
  EXPECT_EQ(write->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), doubled(doubled(ramp(5000), ramp(10)), ramp(10)));
  EXPECT_EQ(w.contents(w.x), words);
}

TEST(Overwritten, WhatAWriteReplacedForGoodIsNotTakenForAnInput) {
  World w;
  EXPECT_EQ(w.axpy(w.x, w.y)->wait(), CL_COMPLETE);  // x is on the device only
  Words words = ramp(77);
  w.fakes[0]->pause();
  w.fakes[0]->refuse_runs = 1;
  const auto launch = w.axpy(w.y, w.x);
  const auto write = w.enqueue_write(w.x, words);
  EXPECT_EQ(write->chained_on(), w.fakes[0].get());
  w.fakes[0]->resume();
  EXPECT_NE(launch->wait(), CL_COMPLETE) << "its input is gone";
  write->wait();
  w.enqueue_write(w.x, words)->wait();
  EXPECT_EQ(w.contents(w.x), words);
}

/// So many that a command may use what the one before it made, and nothing of the one before that.
constexpr std::uint32_t kArrays = 4;

/// Buffers beside arrays. What a failed command was to write is unknown, and what unknown words were made into.
struct Model {
  struct Array {
    std::shared_ptr<Storage> storage;
    Words words;
    bool known = true;
    std::vector<Ref<Event>> users = {};  // commands since it was last looked at
  };
  struct Step {
    Ref<Event> event;
    std::function<void(bool ended_well)> apply;
  };
  World& w;
  std::mt19937& random;
  const bool two_queues;
  std::vector<Array> arrays;
  std::vector<Step> steps;
  std::deque<Words> memory;  // of writes and reads under way
  std::size_t failed = 0;

  Model(World& world, std::mt19937& numbers, bool two) : w(world), random(numbers), two_queues(two) {
    for (std::uint32_t i = 0; i < kArrays; ++i) arrays.push_back({w.filled(1000 * i), ramp(1000 * i)});
    for (Array& array : arrays) EXPECT_EQ(w.axpy(array.storage, w.x)->wait(), CL_COMPLETE);
    for (Array& array : arrays) array.words = doubled(array.words, ramp(10));
  }
  /// With two queues, commands that share an array wait for each other by their wait lists.
  void enqueue(cl_command_type type, std::shared_ptr<Command> command, std::initializer_list<std::size_t> used,
               std::function<void(bool ended_well)> apply) {
    const bool elsewhere = two_queues && random() % 2 == 0;
    std::vector<Ref<Event>> after;
    for (const std::size_t i : used)
      if (two_queues) after.insert(after.end(), arrays[i].users.begin(), arrays[i].users.end());
    steps.push_back({(elsewhere ? w.other : w.queue)->enqueue(type, std::move(command), after), std::move(apply)});
    for (const std::size_t i : used) arrays[i].users.push_back(steps.back().event);
  }
  void launch(std::size_t to, std::size_t from) {
    auto command = make_launch(
        w.machine, {w.add, line(kItems, 64), {whole(arrays[to].storage), whole(arrays[from].storage), value_of(2u)}});
    enqueue(CL_COMMAND_NDRANGE_KERNEL, std::move(*command), {to, from}, [this, to, from](bool ended_well) {
      arrays[to].known = arrays[to].known && arrays[from].known && ended_well;
      if (arrays[to].known) arrays[to].words = doubled(arrays[to].words, arrays[from].words);
    });
  }
  static HostBox box(Words& words) { return {reinterpret_cast<std::byte*>(words.data()), 0, 0}; }
  void write(std::size_t to, std::uint32_t first) {
    Words& words = memory.emplace_back(ramp(first));
    enqueue(CL_COMMAND_WRITE_BUFFER, make_write(arrays[to].storage, RectRegion::linear(0, kBytes), box(words)), {to},
            [this, to, &words](bool ended_well) {
              arrays[to].known = ended_well;
              arrays[to].words = words;
            });
  }
  void read(std::size_t from) {
    Words& words = memory.emplace_back(kItems);
    enqueue(CL_COMMAND_READ_BUFFER, make_read(arrays[from].storage, RectRegion::linear(0, kBytes), box(words)), {from},
            [this, from, &words](bool ended_well) {
              const bool wrong = ended_well && arrays[from].known && words != arrays[from].words;
              EXPECT_FALSE(wrong);
            });
  }
  void settle() {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool ended_well = steps[i].event->wait() == CL_COMPLETE;
      failed += ended_well ? 0 : 1;
      SCOPED_TRACE(i);
      steps[i].apply(ended_well);
    }
    steps.clear();
    memory.clear();
    for (Array& array : arrays) array.users.clear();
    w.queue->finish();
    w.other->finish();
  }
};

/// What the device executes while later commands are still to come: its n-th batch after so many of them, and the next
/// command is not enqueued before.
class Pace {
 public:
  Pace(FakeDevice& device, std::mt19937& random) : device_(device) {
    for (std::size_t& each : after_) each = random() % 7;
    std::sort(after_.begin(), after_.end());
    device_.on_execute = [this] {
      const std::size_t until = executed_ < after_.size() ? after_[executed_++] : 0;
      waits_ = true;
      while (enqueued_ < until) std::this_thread::yield();
      waits_ = false;
    };
  }
  ~Pace() { device_.on_execute = nullptr; }
  void enqueued() {
    ++enqueued_;
    while (!device_.idle() && !(waits_ && enqueued_ < after_[executed_ - 1])) std::this_thread::yield();
  }

 private:
  FakeDevice& device_;
  std::array<std::size_t, 6> after_{};
  std::atomic<std::size_t> executed_ = 0;
  std::atomic<bool> waits_ = false;
  std::atomic<std::size_t> enqueued_{0};
};

class Failures : public testing::TestWithParam<bool> {};

TEST_P(Failures, CommandsBehindThemAreRightOrFail) {
  std::size_t failed = 0, known = 0;
  for (unsigned seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    World w;
    Model model(w, random, GetParam());
    for (int round = 0; round < 4; ++round) {
      Pace pace(*w.fakes[0], random);
      std::atomic<int>* const kinds[] = {&w.fakes[0]->refuse_runs, &w.fakes[0]->fail_writes, &w.fakes[0]->fail_reads};
      *kinds[random() % 3] = 1;
      for (int step = 0; step < 6; ++step) {
        const std::size_t to = random() % kArrays, from = (to + 1 + random() % (kArrays - 1)) % kArrays;
        const auto kind = random() % 8;
        if (kind < 4)
          model.launch(to, from);
        else if (kind < 7)
          model.write(to, static_cast<std::uint32_t>(random()));
        else
          model.read(from);
        pace.enqueued();
      }
      model.settle();
    }
    for (std::size_t i = 0; i < kArrays; ++i) model.read(i);
    for (const Model::Array& array : model.arrays) known += array.known ? 1 : 0;
    model.settle();
    failed += model.failed;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(failed, 10u);
  EXPECT_GT(known, 100u);
}

INSTANTIATE_TEST_SUITE_P(OneQueue, Failures, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(TwoQueues, Failures, testing::Values(true));

}  // namespace
}  // namespace skmd::icd::test
