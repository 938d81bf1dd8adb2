// SPDX-License-Identifier: Apache-2.0
// Launches over more memory objects than a device has memory for.
#include "intercept/machine/device_memory.h"
#include "intercept/launch/make_launch.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "intercept/launch/frozen_launch.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 256;
constexpr std::uint64_t kBytes = kItems * 4;
using Words = std::vector<std::uint32_t>;
using Root = std::shared_ptr<Storage>;

/// Buffers of one size, of which devices have room for a few.
struct World : FakeMachine {
  /// `reported`: the device says how much memory it has; otherwise its allocations fail.
  World(const std::vector<bool>& discrete, const std::string& policy, std::int64_t buffers, bool reported = false)
      : FakeMachine(discrete, policy) {
    for (const auto& fake : fakes) set_room(*fake, buffers, reported);
  }
  static void set_room(FakeDevice& fake, std::int64_t buffers, bool reported) {
    const std::int64_t bytes = buffers * static_cast<std::int64_t>(kBytes);
    if (reported)  // a little more: some of it is the driver's
      fake.answers[CL_DEVICE_GLOBAL_MEM_SIZE] = static_cast<std::uint64_t>(bytes + bytes / 16);
    else
      *fake.room = bytes;
  }
  Root filled(std::uint32_t first) {
    auto made = storage(kBytes);
    write(made, 0, ramp(first).data(), kBytes);
    return made;
  }
  static Words ramp(std::uint32_t first) {
    Words values(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) values[i] = first + i;
    return values;
  }
  std::vector<Root> filled_ones(std::uint32_t count) {
    std::vector<Root> made;
    for (std::uint32_t i = 0; i < count; ++i) made.push_back(filled(1000 * i));
    return made;
  }
  Words contents(const Root& root) {
    Words words(kItems);
    read(root, 0, words.data(), kBytes);
    return words;
  }
  Launch adding(const Root& to, const Root& from, std::uint32_t factor = 2) {
    return {add, line(kItems, 64), {whole(to), whole(from), value_of(factor)}};
  }
  Ref<Event> axpy(const Root& to, const Root& from) { return axpy_on(queue, to, from); }
  Ref<Event> axpy_on(const Ref<Queue>& on, const Root& to, const Root& from) {
    auto command = make_launch(machine, adding(to, from));
    EXPECT_TRUE(command.ok());
    return on->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {});
  }
  Ref<Queue> another_queue() {
    return make_object<Queue>(context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, executor);
  }
  [[nodiscard]] static bool there(const Root& root, std::uint32_t device = 0) { return root->last_use(device) != 0; }
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits());
};

Words axpy_of(const Words& y, const Words& x) {
  Words sum(kItems);
  for (std::size_t i = 0; i < kItems; ++i) sum[i] = y[i] + 2 * x[i];
  return sum;
}

/// With its limit reached, a launch that fits by itself may come later, also where nothing was seen that will go.
TEST(DeviceMemory, WhatIsBeyondTheLimitIsInUse) {
  for (const bool reported : {true, false}) {
    World w({true}, "single", 2, reported);
    const auto b = w.filled_ones(3);
    EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
    EXPECT_EQ(w.axpy(b[1], b[0])->wait(), CL_COMPLETE);
    w.fakes[0]->fail_reads = 100;  // so that the replicas cannot be moved out
    const auto held = w.machine.memory.hold(0, *b[2]);
    EXPECT_EQ(held, reported ? DeviceMemory::Held::busy : DeviceMemory::Held::full) << reported;
    w.fakes[0]->fail_reads = 0;
    EXPECT_EQ(w.contents(b[0]), axpy_of(World::ramp(0), World::ramp(1000)));
  }
}

class Room : public testing::TestWithParam<bool> {};

TEST_P(Room, TheLeastRecentlyUsedGoes) {
  World w({true}, "single", 4, GetParam());
  const auto b = w.filled_ones(6);
  EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
  EXPECT_EQ(w.axpy(b[2], b[3])->wait(), CL_COMPLETE);
  EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
  EXPECT_EQ(w.axpy(b[4], b[5])->wait(), CL_COMPLETE);
  for (const int kept : {0, 1, 4, 5}) EXPECT_TRUE(World::there(b[kept])) << kept;
  for (const int gone : {2, 3}) EXPECT_FALSE(World::there(b[gone])) << gone;
  EXPECT_EQ(w.contents(b[0]), axpy_of(axpy_of(World::ramp(0), World::ramp(1000)), World::ramp(1000)));
}

TEST_P(Room, WhatOnlyTheDeviceHadIsInHostMemoryThen) {
  World w({true}, "single", 2, GetParam());
  const auto b = w.filled_ones(4);
  EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
  const std::uint64_t before = w.fakes[0]->counters.bytes_from;
  EXPECT_EQ(w.axpy(b[2], b[3])->wait(), CL_COMPLETE);
  EXPECT_EQ(w.fakes[0]->counters.bytes_from - before, kBytes) << "the results, and not what they came from";
  EXPECT_FALSE(World::there(b[0]));
  EXPECT_EQ(w.contents(b[0]), axpy_of(World::ramp(0), World::ramp(1000)));
  EXPECT_EQ(w.contents(b[1]), World::ramp(1000));
  // And back again.
  EXPECT_EQ(w.axpy(b[1], b[0])->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(b[1]), axpy_of(World::ramp(1000), axpy_of(World::ramp(0), World::ramp(1000))));
  EXPECT_EQ(w.contents(b[2]), axpy_of(World::ramp(2000), World::ramp(3000)));
}

TEST_P(Room, WhatIsInUseStays) {
  World w({true}, "single", 2, GetParam());
  const auto b = w.filled_ones(4);
  w.fakes[0]->pause();
  const auto first = w.axpy(b[0], b[1]);
  const auto second = w.axpy_on(w.another_queue(), b[2], b[3]);
  while (!w.machine.memory.wanted()) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) std::this_thread::yield();
  EXPECT_TRUE(World::there(b[0]) && World::there(b[1]));
  EXPECT_FALSE(World::there(b[2]) && World::there(b[3]));
  w.fakes[0]->resume();
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_FALSE(w.machine.memory.wanted());
  EXPECT_EQ(w.contents(b[0]), axpy_of(World::ramp(0), World::ramp(1000)));
  EXPECT_EQ(w.contents(b[2]), axpy_of(World::ramp(2000), World::ramp(3000)));
}

TEST_P(Room, WhileALaunchWaitsOthersInARowDoNotKeepThePlace) {
  World w({true}, "single", 2, GetParam());
  const auto b = w.filled_ones(4);
  w.fakes[0]->pause();
  const auto first = w.axpy(b[0], b[1]);
  EXPECT_EQ(first->chained_on(), w.fakes[0].get());
  const auto other = w.axpy_on(w.another_queue(), b[2], b[3]);
  while (!w.machine.memory.wanted()) std::this_thread::yield();
  const auto next = w.axpy(b[0], b[1]);
  EXPECT_EQ(next->chained_on(), nullptr) << "it would be submitted behind the first";
  w.fakes[0]->resume();
  for (const auto& event : {first, other, next}) EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(b[0]), axpy_of(axpy_of(World::ramp(0), World::ramp(1000)), World::ramp(1000)));
  EXPECT_EQ(w.contents(b[2]), axpy_of(World::ramp(2000), World::ramp(3000)));
}

TEST_P(Room, LaunchesInARowAreUses) {
  World w({true}, "single", 4, GetParam());
  const auto b = w.filled_ones(6);
  const auto often = std::make_shared<const FrozenLaunch>(w.machine, w.adding(b[0], b[1]));
  const auto again = [&] {
    return w.queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, repeat_launch(w.machine, often, false), {});
  };
  w.fakes[0]->pause();
  again();
  w.axpy(b[2], b[3]);
  again();  // what the first one found out for it is there
  w.fakes[0]->resume();
  w.queue->finish();
  EXPECT_EQ(w.axpy(b[4], b[5])->wait(), CL_COMPLETE);
  EXPECT_TRUE(World::there(b[0]) && World::there(b[1]));
  EXPECT_FALSE(World::there(b[2]) || World::there(b[3]));
}

TEST_P(Room, ALaunchThatHasEndedKeepsNoBuffers) {
  World w({true}, "single", 2, GetParam());
  const auto b = w.filled_ones(2);
  w.fakes[0]->pause();
  const auto event = w.axpy(b[0], b[1]);
  EXPECT_EQ(event->chained_on(), w.fakes[0].get());
  std::atomic<long> owners{0};
  EXPECT_TRUE(event->when_ended([&](cl_int) { owners = b[0]->native(0)->use_count(); }));
  w.fakes[0]->resume();
  w.queue->finish();
  while (owners == 0) std::this_thread::yield();
  EXPECT_EQ(owners, 2) << "the buffer, and who asked";
}

TEST_P(Room, ALaunchThatIsEnqueuedAgainFindsItsBuffersWhereTheyAreThen) {
  World w({true}, "single", 2, GetParam());
  const auto b = w.filled_ones(4);
  const auto often = std::make_shared<const FrozenLaunch>(w.machine, w.adding(b[0], b[1]));
  Words expected = World::ramp(0);
  for (int i = 0; i < 3; ++i) {
    const auto event = w.queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, repeat_launch(w.machine, often, false), {});
    EXPECT_EQ(event->wait(), CL_COMPLETE);
    expected = axpy_of(expected, World::ramp(1000));
    EXPECT_EQ(w.axpy(b[2], b[3])->wait(), CL_COMPLETE);
    EXPECT_FALSE(World::there(b[0]) || World::there(b[1]));
    EXPECT_EQ(w.contents(b[0]), expected);
  }
}

TEST_P(Room, ALaunchThatDoesNotFitADeviceRunsElsewhereAndTheDeviceStays) {
  for (const char* policy : {"single:0", "equal", "auto"}) {
    World w({true, true}, policy, 100, GetParam());
    World::set_room(*w.fakes[0], 1, GetParam());
    const auto b = w.filled_ones(2);
    EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
    EXPECT_EQ(w.contents(b[0]), axpy_of(World::ramp(0), World::ramp(1000))) << policy;
    EXPECT_EQ(w.fakes[0]->counters.groups, 0u) << policy;
    EXPECT_FALSE(w.fakes[0]->health()->aside());
  }
}

TEST_P(Room, WhereNothingFitsTheLaunchSaysSo) {
  World w({true, true}, "equal", 1, GetParam());
  const auto b = w.filled_ones(2);
  auto command = make_launch(w.machine, w.adding(b[0], b[1]));
  if (GetParam()) {
    ASSERT_FALSE(command);
    EXPECT_EQ(command.error().code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    EXPECT_NE(command.error().reason.find("memory objects of bytes 2048 exceeds the device's 1054"), std::string::npos)
        << command.error().reason;
  } else {
    EXPECT_EQ(w.queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {})->wait(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  }
  for (const auto& fake : w.fakes) EXPECT_FALSE(fake->health()->aside());
  EXPECT_EQ(w.axpy(b[0], b[0])->wait(), CL_COMPLETE) << "one buffer does";
  EXPECT_EQ(w.contents(b[0]), axpy_of(World::ramp(0), World::ramp(0)));
}

TEST(DeviceMemory, ADriverThatFindsOutAtWorkThatThereIsNoRoomGetsSome) {
  World w({true}, "single", 100);
  const auto b = w.filled_ones(4);
  EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
  w.fakes[0]->fail_writes = 1;
  EXPECT_EQ(w.axpy(b[2], b[3])->wait(), CL_COMPLETE);
  EXPECT_FALSE(World::there(b[0]) || World::there(b[1]));
  EXPECT_EQ(w.contents(b[0]), axpy_of(World::ramp(0), World::ramp(1000)));
  EXPECT_EQ(w.contents(b[2]), axpy_of(World::ramp(2000), World::ramp(3000)));
  w.fakes[0]->fail_writes = 1;
  w.write(b[3], 0, World::ramp(0).data(), kBytes);
  EXPECT_EQ(w.axpy(b[2], b[3])->wait(), CL_MEM_OBJECT_ALLOCATION_FAILURE) << "nothing is left to go";
}

TEST(DeviceMemory, WhatCannotBeMovedOutStays) {
  World w({true}, "single", 2);
  const auto b = w.filled_ones(4);
  EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
  w.fakes[0]->fail_reads = 100;
  EXPECT_EQ(w.axpy(b[2], b[3])->wait(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  w.fakes[0]->fail_reads = 0;
  EXPECT_EQ(w.contents(b[0]), axpy_of(World::ramp(0), World::ramp(1000)));
}

TEST(DeviceMemory, IsCountedInTheStatistics) {
  World w({true}, "single", 2);
  w.machine.observer->devices({{"fake 0", "gpu", "icd"}});
  const auto b = w.filled_ones(4);
  EXPECT_EQ(w.axpy(b[0], b[1])->wait(), CL_COMPLETE);
  EXPECT_EQ(w.axpy(b[2], b[3])->wait(), CL_COMPLETE);
  EXPECT_NE(w.machine.observer->stats_json().find("{\"device\":0,\"dropped\":2,\"bytes_moved_out\":1024}"),
            std::string::npos)
      << w.machine.observer->stats_json();
}

TEST_P(Room, ThousandLaunchesOverTwiceTheMemory) {
  for (const auto& [discrete, policy] : {std::pair{std::vector<bool>{true}, "single"},
                                         {std::vector<bool>{true, true}, "equal"},
                                         {std::vector<bool>{false, true}, "equal"},
                                         {std::vector<bool>{true, true}, "dynamic:1"},
                                         {std::vector<bool>{true, true}, "auto"}}) {
    constexpr std::uint32_t kBuffers = 8;
    World w(discrete, policy, kBuffers / 2, GetParam());
    const auto b = w.filled_ones(kBuffers);
    std::vector<Words> expected;
    for (std::uint32_t i = 0; i < kBuffers; ++i) expected.push_back(World::ramp(1000 * i));
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same each time
    for (int i = 0; i < 1000; ++i) {
      const std::size_t to = random() % kBuffers;
      const std::size_t from = (to + 1 + random() % (kBuffers - 1)) % kBuffers;
      w.axpy(b[to], b[from]);
      expected[to] = axpy_of(expected[to], expected[from]);
      if (random() % 64 == 0) w.queue->finish();
    }
    w.queue->finish();
    for (std::uint32_t i = 0; i < kBuffers; ++i) EXPECT_EQ(w.contents(b[i]), expected[i]) << policy << " " << i;
  }
}

TEST_P(Room, ThreadsAtOnceOverTwiceTheMemory) {
  for (const auto& [discrete, policy] :
       {std::pair{std::vector<bool>{true}, "single"}, {std::vector<bool>{true, true}, "equal"}}) {
    constexpr int kThreads = 4, kLaunches = 100;
    World w(discrete, policy, 4, GetParam());
    const auto b = w.filled_ones(2 * kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        const auto queue = w.another_queue();
        for (int i = 0; i < kLaunches; ++i) {
          const auto event = w.axpy_on(queue, b[2 * t], b[2 * t + 1]);
          if (i % 4 == 0) {
            EXPECT_EQ(event->wait(), CL_COMPLETE) << t << " " << i;
          }
        }
        queue->finish();
      });
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < kThreads; ++t) {
      Words expected = World::ramp(2000 * t);
      for (int i = 0; i < kLaunches; ++i) expected = axpy_of(expected, World::ramp(2000 * t + 1000));
      EXPECT_EQ(w.contents(b[2 * t]), expected) << policy << " " << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DeviceMemory, Room, testing::Bool(), [](const auto& tested) {
  return tested.param ? "ReportedByTheDevice" : "FoundOutByAllocating";
});

}  // namespace
}  // namespace skmd::icd::test
