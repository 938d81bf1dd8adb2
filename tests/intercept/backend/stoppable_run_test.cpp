// SPDX-License-Identifier: Apache-2.0
// Launches that a device is given a quantum at a time.
#include "intercept/backend/vendor/stoppable_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/intercept/backend/made_up_device.h"

namespace skmd::icd {
namespace {

struct Ended {
  int calls = 0;
  BatchResult result;
};

Batch batch_of(const std::shared_ptr<SavedGroups>& saved, const std::shared_ptr<StopToken>& stop,
               const domain::GroupSpan& groups, Ended& ended) {
  RunOp run;
  run.kernel = std::make_shared<NoKernel>();
  run.arguments = std::make_shared<const std::vector<NativeArgument>>();
  run.range.work_dim = 2;
  run.range.local = {kItems, 1, 1};
  run.range.global = {kItems * 8, kGroupsInAll / 8, 1};
  run.saved = saved;
  run.stop = stop;
  run.quantum_ns = 1000;
  run.groups = groups;
  Batch batch;
  batch.ops.emplace_back(std::move(run));
  batch.want_times = true;
  batch.done = [&ended](BatchResult&& result) {
    ++ended.calls;
    ended.result = std::move(result);
  };
  return batch;
}

void run_on(MadeUpDevice& device, Batch&& batch) {
  ASSERT_TRUE(StoppableRun::takes(batch.work()));
  const auto run = std::make_shared<StoppableRun>(std::move(batch), device.code(), device.native());
  run->begin();
  device.work();
  EXPECT_EQ(run->under_way(), 0u);
}

void expect_each_once(const Counted& counted, const domain::GroupSpan& groups, bool together) {
  for (std::uint64_t group = 0; group < kGroupsInAll; ++group) {
    const bool runs = group >= groups.first && group < groups.last;
    const int times = !runs ? 0 : together ? 1 : static_cast<int>(kItems);
    EXPECT_EQ(counted.rounds[group], std::vector<int>(kRounds, times)) << group;
    EXPECT_TRUE(counted.local_is_right[group]) << group;
  }
}

// Whether items leave together, and whether the device is given runs ahead.
class StoppableRuns : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  static bool together() { return std::get<0>(GetParam()); }
  static bool ahead() { return std::get<1>(GetParam()); }
  static MadeUpDevice device_of(Counted& counted, unsigned seed) { return {counted, seed, together(), ahead()}; }
};

// Of one buffer, so that the launch's groups are run in several lists; words of control take 128, and a group 16.
constexpr std::uint64_t kFewBytes = 700;

TEST_P(StoppableRuns, GoOnUntilAllGroupsHaveEnded) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Counted counted;
    MadeUpDevice device = device_of(counted, seed);
    if (seed % 3 == 0) device.memory_bytes = kFewBytes;
    Ended ended;
    const domain::GroupSpan groups{seed, kGroupsInAll - seed / 2};
    run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, groups, ended));
    EXPECT_EQ(ended.calls, 1);
    EXPECT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
    EXPECT_FALSE(ended.result.left);
    ASSERT_EQ(ended.result.times.size(), 1u);
    EXPECT_EQ(ended.result.times[0].device_ns, device.runs);
    EXPECT_GT(device.runs, 1u);
    EXPECT_EQ(device.most_queued(), ahead() ? 2u : 1u);
    expect_each_once(counted, groups, together());
  }
}

// Stopped after every launch or after some, and moved to another device. Every other time states go through page-locked
// memory.
TEST_P(StoppableRuns, GoOnElsewhereFromWhatWasSaved) {
  int all_stops = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Counted counted;
    MadeUpDevice one = device_of(counted, seed), other = device_of(counted, seed + 1000);
    if (seed % 2 != 0) one.pieces = MadeUpDevice::made_pieces();
    if (seed % 3 == 0) one.memory_bytes = other.memory_bytes = kFewBytes;
    const auto saved = std::make_shared<SavedGroups>();
    domain::GroupSpan left{0, kGroupsInAll};
    int stops = 0;
    while (!left.empty()) {
      const auto stop = std::make_shared<StopToken>();
      MadeUpDevice& device = stops % 2 == 0 ? one : other;
      if (seed % 4 < 2)
        stop->request();
      else
        device.stop_during(1 + (seed + static_cast<unsigned>(stops)) % 6, stop);
      Ended ended;
      run_on(device, batch_of(saved, stop, left, ended));
      ASSERT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
      if (!ended.result.left) break;
      EXPECT_GE(ended.result.left->begun, ended.result.left->groups);
      EXPECT_LE(ended.result.left->begun, left.size());
      left.first += ended.result.left->groups;
      ASSERT_LT(++stops, 1000);
    }
    all_stops += stops;
    EXPECT_EQ(saved->stopped(), 0u);
    for (std::size_t i = 0; one.pieces != nullptr && i < tuning::kStatePieces; ++i)
      EXPECT_NE(one.pieces->try_take(), nullptr) << "one is still lent";
    expect_each_once(counted, {0, kGroupsInAll}, together());
  }
  EXPECT_GT(all_stops, 60);
}

// States that were read together are written again as they are; not where one of the groups has gone on elsewhere
// since.
TEST_P(StoppableRuns, GoOnFromWhatWasReadWithoutCopies) {
  for (const bool apart : {false, true}) {
    int as_they_are = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      Counted counted;
      MadeUpDevice one = device_of(counted, seed), other = device_of(counted, seed + 1000);
      const auto saved = std::make_shared<SavedGroups>();
      const auto stop = std::make_shared<StopToken>();
      stop->request();
      Ended first, second;
      run_on(one, batch_of(saved, stop, {0, kGroupsInAll}, first));
      ASSERT_TRUE(first.result.left);
      const auto stopped = saved->stopped_groups();
      if (stopped.empty()) continue;
      const auto part = saved->together(stopped.front());  // whose memory is not used again
      if (apart) saved->put(stopped.back(), *saved->take(stopped.back()));
      run_on(other, batch_of(saved, nullptr, {first.result.left->groups, kGroupsInAll}, second));
      EXPECT_EQ(second.result.status, CL_SUCCESS) << second.result.reason;
      EXPECT_EQ(saved->stopped(), 0u);
      EXPECT_EQ(saved->counts().resumed, saved->counts().saved);
      expect_each_once(counted, {0, kGroupsInAll}, together());
      as_they_are += std::count(other.written.begin(), other.written.end(), one.states_read) != 0 ? 1 : 0;
    }
    EXPECT_EQ(as_they_are > 0, !apart);
  }
}

// Device, and whether the launch is asked to stop, while what comes before it runs.
BatchResult run_behind_a_write(MadeUpDevice& device, bool stops) {
  const auto memory = std::make_shared<HostMemory>(8);
  std::vector<std::byte> host(8, std::byte{7});
  const auto stop = std::make_shared<StopToken>();
  if (stops) stop->request();
  Ended ended;
  Batch batch = batch_of(std::make_shared<SavedGroups>(), stop, {0, kGroupsInAll}, ended);
  std::get<RunOp>(batch.ops.back()).quantum_ns = 50'000'000;
  batch.ops.insert(batch.ops.begin(), WriteOp{memory, host.data(), {0, 8, 0, 1}});
  run_on(device, std::move(batch));
  EXPECT_EQ(memory->content, host);
  return ended.result;
}

TEST_P(StoppableRuns, TakeAShortQuantumWhereTheyAreToStopBeforeTheyBegin) {
  Counted counted;
  MadeUpDevice asked = device_of(counted, 3), other = device_of(counted, 4);
  const BatchResult stopped = run_behind_a_write(asked, true);
  ASSERT_TRUE(stopped.left);
  EXPECT_EQ(stopped.left->op, 1u);
  EXPECT_EQ(asked.quantum, tuning::kStoppingQuantumNs / tuning::kClockUnitNs);
  const BatchResult ran = run_behind_a_write(other, false);
  EXPECT_FALSE(ran.left);
  EXPECT_EQ(other.quantum,
            static_cast<std::uint32_t>(50'000'000 * (ahead() ? tuning::kAheadQuantum : 1.0)) / tuning::kClockUnitNs);
  ASSERT_EQ(ran.times.size(), 2u);
  EXPECT_EQ(ran.times[0].device_ns, 1u);
  EXPECT_EQ(ran.times[1].device_ns, other.runs);
}

TEST_P(StoppableRuns, MakePagesOnceALaunchTakesLongerThanAQuantum) {
  Counted counted;
  MadeUpDevice device = device_of(counted, 3);
  device.lends_pieces = true;
  (void)run_behind_a_write(device, false);
  EXPECT_GT(device.runs, 1u);
  EXPECT_NE(device.pieces, nullptr);
}

// Two lists may be under way when it fails.
TEST_P(StoppableRuns, FailOnceWithTheDevice) {
  Counted counted;
  for (const std::uint64_t memory : {std::uint64_t{UINT64_MAX}, kFewBytes})
    for (int at = 1; at <= 4; ++at) {
      MadeUpDevice device = device_of(counted, 3);
      device.fails_at = at;
      device.memory_bytes = memory;
      Ended ended;
      run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended));
      EXPECT_EQ(ended.calls, 1);
      EXPECT_EQ(ended.result.status, CL_OUT_OF_RESOURCES);
      EXPECT_EQ(ended.result.accepted, at <= 2 ? 0 : SIZE_MAX) << "whether the launch may have run";
    }
  MadeUpDevice device = device_of(counted, 3);
  device.memory_bytes = 0;
  Ended ended;
  run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended));
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(ended.result.status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_P(StoppableRuns, RefuseStatesOfAnotherSize) {
  Counted counted;
  for (const bool local : {false, true}) {
    MadeUpDevice device = device_of(counted, 5);
    const auto saved = std::make_shared<SavedGroups>();
    saved->put(3, {7, std::vector<std::uint32_t>(together() ? 3 : 6), std::vector<std::byte>(local ? 1024 : 0)});
    if (!local && !together()) saved->put(3, {7, std::vector<std::uint32_t>(7), {}});
    Ended ended;
    run_on(device, batch_of(saved, nullptr, {0, kGroupsInAll}, ended));
    EXPECT_EQ(ended.result.status, CL_OUT_OF_RESOURCES);
    EXPECT_NE(ended.result.reason.find("the state of group 3"), std::string::npos) << ended.result.reason;
    EXPECT_EQ(device.runs, 0u);
  }
}

// `used`: it shows only when memory is first used.
void expect_fewer_groups_at_a_time(bool together, bool ahead, bool used) {
  Counted counted;
  MadeUpDevice device(counted, 5, together, ahead);
  (used ? device.used_bytes : device.memory_bytes) = kFewBytes;
  const auto saved = std::make_shared<SavedGroups>();
  saved->put(kGroupsInAll - 1, {});
  Ended ended;
  run_on(device, batch_of(saved, nullptr, {0, kGroupsInAll}, ended));
  EXPECT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
  expect_each_once(counted, {0, kGroupsInAll - 1}, together);
}

TEST_P(StoppableRuns, TakeFewerGroupsAtATimeWhereMemoryIsShort) {
  expect_fewer_groups_at_a_time(together(), ahead(), false);
  expect_fewer_groups_at_a_time(together(), ahead(), true);
}

TEST_P(StoppableRuns, FailRatherThanTakeFewerOfGroupsThatWaitForEachOther) {
  Counted counted;
  MadeUpDevice device = device_of(counted, 5);
  device.memory_bytes = kFewBytes;
  Ended ended;
  Batch batch = batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended);
  std::get<RunOp>(batch.ops.back()).groups_wait = true;
  run_on(device, std::move(batch));
  EXPECT_EQ(ended.result.status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(device.runs, 0u);
}

// Kernels take them for negative numbers from 2^31 on.
TEST_P(StoppableRuns, KeepLongQuantaPositive) {
  Counted counted;
  MadeUpDevice device = device_of(counted, 5);
  Ended ended;
  Batch batch = batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended);
  std::get<RunOp>(batch.ops.back()).quantum_ns = std::uint64_t{1} << 62;
  run_on(device, std::move(batch));
  EXPECT_EQ(ended.result.status, CL_SUCCESS);
  EXPECT_EQ(device.quantum, static_cast<std::uint32_t>(INT32_MAX));
}

TEST_P(StoppableRuns, DoWhatComesBeforeAlsoIfAllGroupsHaveEnded) {
  Counted counted;
  MadeUpDevice device = device_of(counted, 3);
  const auto saved = std::make_shared<SavedGroups>();
  saved->put(0, {});
  Ended ended;
  Batch batch = batch_of(saved, nullptr, {0, 1}, ended);
  const auto memory = std::make_shared<HostMemory>(4);
  const std::uint32_t word = 42;
  batch.ops.insert(batch.ops.begin(), WriteOp{memory, reinterpret_cast<const std::byte*>(&word), {0, 4, 4, 1}});
  run_on(device, std::move(batch));
  EXPECT_EQ(ended.result.status, CL_SUCCESS);
  EXPECT_EQ(memory->words()[0], 42u);
  EXPECT_EQ(device.runs, 0u);
  EXPECT_EQ(ended.result.times.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(ItemsLeave, StoppableRuns, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& param) {
                           return std::string(std::get<0>(param.param) ? "together" : "one_by_one") +
                                  (std::get<1>(param.param) ? "_ahead" : "");
                         });

}  // namespace
}  // namespace skmd::icd
