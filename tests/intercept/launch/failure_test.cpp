// SPDX-License-Identifier: Apache-2.0
// Launches whose devices fail, and launches that meet others half way.
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <numeric>
#include <optional>
#include <thread>

#include "intercept/launch/make_launch.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 1024;
using Words = std::vector<std::uint32_t>;

Words ramp(std::uint32_t first) {
  Words values(kItems);
  std::iota(values.begin(), values.end(), first);
  return values;
}

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete, const std::string& policy = "equal")
      : FakeMachine(discrete, policy), x(storage(kItems * 4)), y(storage(kItems * 4)) {
    fill(x, ramp(0));
    fill(y, ramp(5000));
  }
  void fill(const std::shared_ptr<Storage>& storage, const Words& words) {
    write(storage, 0, words.data(), words.size() * 4);
  }
  Words contents(const std::shared_ptr<Storage>& storage) {
    Words words(kItems);
    read(storage, 0, words.data(), words.size() * 4);
    return words;
  }
  Ref<Event> axpy(const std::shared_ptr<Storage>& to) {
    return launch(add, line(kItems, 64), {whole(to), whole(x), value_of(2u)});
  }
  static Words after_axpy() {
    Words words(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) words[i] = 5000 + 3 * i;
    return words;
  }
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits());
};

TEST(Failure, ADeviceWithoutRoomLeavesTheLaunchToAnother) {
  for (const std::size_t short_of_memory : {0, 1}) {
    World w({true, true});
    w.fakes[short_of_memory]->fail_allocations = 10;
    EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
    EXPECT_EQ(w.contents(w.y), World::after_axpy());
    EXPECT_EQ(w.fakes[short_of_memory]->counters.groups, 0u);
  }
}

TEST(Failure, AWholeLaunchLeavesADeviceWithoutRoomToo) {
  World w({true, true}, "single:0");
  w.fakes[0]->fail_allocations = 10;
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), World::after_axpy());
  EXPECT_EQ(w.fakes[1]->counters.groups, kItems / 64);
}

TEST(Failure, WithoutRoomAnywhereTheLaunchSaysSo) {
  World w({true, true});
  for (const auto& fake : w.fakes) fake->fail_allocations = 10;
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  for (const auto& fake : w.fakes) fake->fail_allocations = 0;
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), World::after_axpy());
}

TEST(Failure, AnUploadThatFailedIsMadeAgain) {
  World w({true, true});
  w.fakes[1]->fail_writes = 1;
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);  // whole, elsewhere
  EXPECT_EQ(w.contents(w.y), World::after_axpy());
  w.fill(w.y, ramp(5000));
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), World::after_axpy());
  EXPECT_GT(w.fakes[1]->counters.groups, 0u);
}

TEST(Failure, AnUploadOfAWholeLaunchThatFailedIsMadeAgain) {
  World w({true}, "single");
  w.fakes[0]->fail_writes = 1;
  EXPECT_LT(w.axpy(w.y)->wait(), 0);
  w.fill(w.y, ramp(5000));
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), World::after_axpy());
}

TEST(Failure, AnUploadThatWasRefusedIsNotTakenForMade) {
  for (const std::vector<bool>& discrete : {std::vector<bool>{true}, {true, true}}) {
    World w(discrete, "single:0");
    w.fakes[0]->fail_writes = 1;
    const bool first = w.axpy(w.y)->wait() == CL_COMPLETE;
    EXPECT_EQ(first, discrete.size() == 2) << "only another device can run it";
    EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
    Words expected = World::after_axpy();
    for (std::uint32_t i = 0; first && i < kItems; ++i) expected[i] += 2 * i;
    EXPECT_EQ(w.contents(w.y), expected);
  }
}

TEST(Failure, BytesWithACopyElsewhereHaveTheirOldValues) {
  World w({true, true});
  for (const auto& fake : w.fakes) fake->fail_runs = 1;
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(w.contents(w.y), ramp(5000));
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), World::after_axpy());
}

TEST(Failure, AMergeByDifferenceGivesThePreImageBack) {
  for (const bool late : {false, true}) {
    World w({false, true});
    const auto scatter = w.kernel(scatter_traits());
    for (const auto& fake : w.fakes) fake->fail_runs = 1, fake->fail_late = late;
    EXPECT_EQ(w.launch(scatter, line(kItems, 64), {whole(w.y), whole(w.x)})->wait(), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(w.contents(w.y), ramp(5000)) << late;
    EXPECT_EQ(w.launch(scatter, line(kItems, 64), {whole(w.y), whole(w.x)})->wait(), CL_COMPLETE);
    EXPECT_EQ(w.contents(w.y), ramp(1)) << late;
  }
}

TEST(Failure, NeverWrittenBytesLookAlikeEverywhereAfterAnInPlaceSliceOfThem) {
  World w({false, true});
  const auto fresh = w.storage(kItems * 4);
  for (const auto& fake : w.fakes) fake->fail_runs = 1, fake->fail_late = true;
  EXPECT_EQ(
      w.launch(w.kernel(stencil_traits()), line(kItems, 64), {whole(fresh), whole(w.x), value_of(kItems)})->wait(),
      CL_OUT_OF_RESOURCES);
  // The contents are undefined, but the same for all readers: the discrete device, which reads over the border, sees
  // what the host sees.
  const Words told = w.contents(fresh);
  EXPECT_EQ(
      w.launch(w.kernel(stencil_traits()), line(kItems, 64), {whole(w.y), whole(fresh), value_of(kItems)})->wait(),
      CL_COMPLETE);
  const std::uint32_t border = kItems / 2;
  EXPECT_EQ(w.contents(w.y)[border], told[border - 1] + told[border] + told[border + 1]);
}

TEST(Meeting, ALaunchIsNotSubmittedBeforeTheUploadsItCountsOn) {
  World w({true}, "single");
  const auto z = w.storage(kItems * 4);
  w.fill(z, ramp(5000));
  const auto other = make_object<Queue>(w.context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{},
                                        *w.machine.executor);
  Ref<Event> second;
  int submissions = 0;
  w.fakes[0]->on_submit = [&] {
    if (submissions++ != 0) return;
    // The first launch, which sends x, is about to be submitted. Another thread enqueues one that reads x, too.
    std::thread([&] {
      auto command = make_launch(w.machine, {w.add, line(kItems, 64), {whole(z), whole(w.x), value_of(2u)}});
      second = other->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {});
    }).join();
  };
  EXPECT_EQ(w.axpy(w.y)->wait(), CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  w.fakes[0]->on_submit = nullptr;
  EXPECT_EQ(w.contents(w.y), World::after_axpy());
  EXPECT_EQ(w.contents(z), World::after_axpy());
}

std::size_t threads_now() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "Threads:") {
      std::size_t count = 0;
      status >> count;
      return count;
    }
  return 0;
}

TEST(Meeting, LaunchesThatWaitForRangesOccupyNoThreads) {
  constexpr std::size_t kLaunches = 100;
  World w({true, true});
  const auto unordered =
      make_object<Queue>(w.context, cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
                         std::vector<cl_queue_properties>{}, *w.machine.executor);
  std::optional<RangeLock> lock = RangeLock::take({claim_on(w.y, domain::ByteRange{0, w.y->bytes()}, true)});
  const std::size_t before = threads_now();
  for (std::size_t i = 0; i < kLaunches; ++i) {
    auto command = make_launch(w.machine, {w.add, line(kItems, 64), {whole(w.y), whole(w.x), value_of(1u)}});
    unordered->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {});
  }
  // Runs behind everything that was handed to the executor by now.
  std::promise<void> reached;
  w.machine.executor->post([&] { reached.set_value(); });
  reached.get_future().wait();
  EXPECT_LT(threads_now(), before + kLaunches / 2);
  lock.reset();
  unordered->finish();
  Words expected = ramp(5000);
  for (std::uint32_t i = 0; i < kItems; ++i) expected[i] += kLaunches * i;
  EXPECT_EQ(w.contents(w.y), expected);
}

TEST(Meeting, RangesAreGivenToThoseWhoWaitInTheirOrder) {
  World w({true});
  const auto all = [&] { return std::vector<Claim>{claim_on(w.y, domain::ByteRange{0, w.y->bytes()}, true)}; };
  std::optional<RangeLock> first = RangeLock::take(all());
  std::vector<int> order;
  std::vector<RangeLock> held;
  for (int i = 0; i < 3; ++i)
    RangeLock::request(all(), [&, i](RangeLock lock) {
      order.push_back(i);
      held.push_back(std::move(lock));
    });
  RangeLock::request({claim_on(w.x, domain::ByteRange{0, 4}, true)}, [&](RangeLock) { order.push_back(10); });
  EXPECT_EQ(order, (std::vector<int>{10}));
  first.reset();
  EXPECT_EQ(order, (std::vector<int>{10, 0}));
  while (!held.empty()) {
    RangeLock last = std::move(held.back());
    held.pop_back();
    last.release();
  }
  EXPECT_EQ(order, (std::vector<int>{10, 0, 1, 2}));
}

TEST(Meeting, WhoWaitsForRangesIsNotOvertaken) {
  World w({true});
  Device* device = w.machine.devices[0].get();
  const auto all = [&](bool write) {
    return std::vector<Claim>{claim_on(w.y, domain::ByteRange{0, w.y->bytes()}, write)};
  };
  std::optional<RangeLock> launched = RangeLock::try_take(all(true), device);
  std::optional<RangeLock> reading;
  RangeLock::request(all(false), [&](RangeLock lock) { reading = std::move(lock); });
  // A thread that launches in a row on the device would hold the ranges for ever, and readers a writer off.
  EXPECT_FALSE(RangeLock::try_take(all(true), device));
  EXPECT_TRUE(RangeLock::try_take({claim_on(w.x, domain::ByteRange{0, 4}, true)}, device));
  launched.reset();
  ASSERT_TRUE(reading);
  bool written = false;
  bool read_again = false;
  RangeLock::request(all(true), [&](RangeLock) { written = true; });
  RangeLock::request(all(false), [&](RangeLock) {
    EXPECT_TRUE(written);
    read_again = true;
  });
  EXPECT_FALSE(read_again);
  reading.reset();
  EXPECT_TRUE(written);
  EXPECT_TRUE(read_again);
}

TEST(Meeting, WhatIsWrittenThroughAMapSurvivesAMergeByDifference) {
  World w({false, true});
  const domain::ByteRange mapped{512 * 4, 513 * 4};
  w.y->mapped_for_writing(mapped);
  Words index(kItems / 2);
  std::iota(index.begin(), index.end(), 0u);
  w.write(w.x, 0, index.data(), index.size() * 4);
  auto* words = reinterpret_cast<std::uint32_t*>(*w.y->host());
  int submissions = 0;
  w.fakes[1]->on_submit = [&] { words[512] = submissions++ == 0 ? 111 : 222; };  // first slice and upload, then fetch
  EXPECT_EQ(w.launch(w.kernel(scatter_traits()), line(kItems / 2, 64), {whole(w.y), whole(w.x)})->wait(), CL_COMPLETE);
  EXPECT_GE(submissions, 2);
  w.fakes[1]->on_submit = nullptr;
  EXPECT_EQ(words[512], 222u);
  w.y->host_written(mapped);
  w.y->unmapped(mapped);
  Words expected = ramp(5000);
  for (std::uint32_t i = 0; i < kItems / 2; ++i) expected[i] = i + 1;
  expected[512] = 222;
  EXPECT_EQ(w.contents(w.y), expected);
}

}  // namespace
}  // namespace skmd::icd::test
