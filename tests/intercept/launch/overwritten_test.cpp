// SPDX-License-Identifier: Apache-2.0
// Transfers that were submitted behind a launch, and that have overwritten what it read when it turns out to have
// failed.
#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <random>

#include "intercept/command/transfer.h"
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
    return queue->enqueue(CL_COMMAND_WRITE_BUFFER,
                          make_write(to, Region::linear(0, kBytes), {reinterpret_cast<std::byte*>(words.data()), 0, 0}),
                          {});
  }
  Words contents(const std::shared_ptr<Storage>& storage) {
    Words words(kItems);
    read(storage, 0, words.data(), kBytes);
    return words;
  }
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits());
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

/// Buffers beside arrays. What a failed command was to write is unknown, and what unknown words were made into.
struct Model {
  struct Array {
    std::shared_ptr<Storage> storage;
    Words words;
    bool known = true;
  };
  struct Step {
    Ref<Event> event;
    std::function<void(bool ended_well)> apply;
  };
  World& w;
  std::vector<Array> arrays;
  std::vector<Step> steps;
  std::deque<Words> memory;  // of writes and reads under way
  std::size_t failed = 0;

  explicit Model(World& world) : w(world) {
    for (std::uint32_t i = 0; i < 3; ++i) arrays.push_back({w.filled(1000 * i), ramp(1000 * i)});
    for (Array& array : arrays) EXPECT_EQ(w.axpy(array.storage, w.x)->wait(), CL_COMPLETE);
    for (Array& array : arrays) array.words = doubled(array.words, ramp(10));
  }
  void launch(std::size_t to, std::size_t from) {
    steps.push_back({w.axpy(arrays[to].storage, arrays[from].storage), [this, to, from](bool ended_well) {
                       arrays[to].known = arrays[to].known && arrays[from].known && ended_well;
                       if (arrays[to].known) arrays[to].words = doubled(arrays[to].words, arrays[from].words);
                     }});
  }
  void write(std::size_t to, std::uint32_t first) {
    Words& words = memory.emplace_back(ramp(first));
    steps.push_back({w.enqueue_write(arrays[to].storage, words), [this, to, &words](bool ended_well) {
                       arrays[to].known = ended_well;
                       arrays[to].words = words;
                     }});
  }
  void read(std::size_t from) {
    Words& words = memory.emplace_back(kItems);
    const HostBox box{reinterpret_cast<std::byte*>(words.data()), 0, 0};
    steps.push_back(
        {w.queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(arrays[from].storage, Region::linear(0, kBytes), box), {}),
         [this, from, &words](bool ended_well) {
           const bool wrong = ended_well && arrays[from].known && words != arrays[from].words;
           EXPECT_FALSE(wrong);
         }});
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
  }
};

TEST(Overwritten, CommandsBehindFailuresAreRightOrFail) {
  std::size_t failed = 0, known = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    World w;
    Model model(w);
    for (int round = 0; round < 4; ++round) {
      w.fakes[0]->pause();
      std::atomic<int>* const kinds[] = {&w.fakes[0]->refuse_runs, &w.fakes[0]->fail_writes, &w.fakes[0]->fail_reads};
      *kinds[random() % 3] = 1;
      for (int step = 0; step < 6; ++step) {
        const std::size_t to = random() % 3, from = (to + 1 + random() % 2) % 3;
        const auto kind = random() % 8;
        if (kind < 4)
          model.launch(to, from);
        else if (kind < 7)
          model.write(to, static_cast<std::uint32_t>(random()));
        else
          model.read(from);
      }
      w.fakes[0]->resume();
      model.settle();
    }
    for (std::size_t i = 0; i < 3; ++i) model.read(i);
    for (const Model::Array& array : model.arrays) known += array.known ? 1 : 0;
    model.settle();
    failed += model.failed;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(failed, 10u);
  EXPECT_GT(known, 100u);
}

}  // namespace
}  // namespace skmd::icd::test
