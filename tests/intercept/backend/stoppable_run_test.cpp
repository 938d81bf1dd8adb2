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

class StoppableRuns : public testing::TestWithParam<bool> {};

TEST_P(StoppableRuns, GoOnUntilAllGroupsHaveEnded) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Counted counted;
    MadeUpDevice device(counted, seed, GetParam());
    Ended ended;
    const domain::GroupSpan groups{seed, kGroupsInAll - seed / 2};
    run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, groups, ended));
    EXPECT_EQ(ended.calls, 1);
    EXPECT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
    EXPECT_FALSE(ended.result.left);
    ASSERT_EQ(ended.result.times.size(), 1u);
    EXPECT_EQ(ended.result.times[0].device_ns, device.runs);
    EXPECT_GT(device.runs, 1u);
    expect_each_once(counted, groups, GetParam());
  }
}

// Stopped after every launch, and moved to another device. Every other time states go through page-locked memory.
TEST_P(StoppableRuns, GoOnElsewhereFromWhatWasSaved) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Counted counted;
    MadeUpDevice one(counted, seed, GetParam()), other(counted, seed + 1000, GetParam());
    if (seed % 2 != 0) one.pieces = MadeUpDevice::made_pieces();
    const auto saved = std::make_shared<SavedGroups>();
    domain::GroupSpan left{0, kGroupsInAll};
    int stops = 0;
    while (!left.empty()) {
      const auto stop = std::make_shared<StopToken>();
      stop->request();
      Ended ended;
      run_on(stops % 2 == 0 ? one : other, batch_of(saved, stop, left, ended));
      ASSERT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
      if (!ended.result.left) break;
      EXPECT_GE(ended.result.left->begun, ended.result.left->groups);
      EXPECT_LE(ended.result.left->begun, left.size());
      left.first += ended.result.left->groups;
      ASSERT_LT(++stops, 1000);
    }
    EXPECT_GT(stops, 1);
    EXPECT_EQ(saved->stopped(), 0u);
    for (std::size_t i = 0; one.pieces != nullptr && i < tuning::kStatePieces; ++i)
      EXPECT_NE(one.pieces->try_take(), nullptr) << "one is still lent";
    expect_each_once(counted, {0, kGroupsInAll}, GetParam());
  }
}

// States that were read together are written again as they are; not where one of the groups has gone on elsewhere
// since.
TEST_P(StoppableRuns, GoOnFromWhatWasReadWithoutCopies) {
  for (const bool apart : {false, true}) {
    int as_they_are = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      Counted counted;
      MadeUpDevice one(counted, seed, GetParam()), other(counted, seed + 1000, GetParam());
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
      expect_each_once(counted, {0, kGroupsInAll}, GetParam());
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
  MadeUpDevice asked(counted, 3, GetParam()), other(counted, 4, GetParam());
  const BatchResult stopped = run_behind_a_write(asked, true);
  ASSERT_TRUE(stopped.left);
  EXPECT_EQ(stopped.left->op, 1u);
  EXPECT_EQ(asked.quantum, tuning::kStoppingQuantumNs / tuning::kClockUnitNs);
  const BatchResult ran = run_behind_a_write(other, false);
  EXPECT_FALSE(ran.left);
  EXPECT_EQ(other.quantum, 50'000'000 / tuning::kClockUnitNs);
  ASSERT_EQ(ran.times.size(), 2u);
  EXPECT_EQ(ran.times[0].device_ns, 1u);
  EXPECT_EQ(ran.times[1].device_ns, other.runs);
}

TEST_P(StoppableRuns, MakePagesOnceALaunchTakesLongerThanAQuantum) {
  Counted counted;
  MadeUpDevice device(counted, 3, GetParam());
  device.lends_pieces = true;
  (void)run_behind_a_write(device, false);
  EXPECT_GT(device.runs, 1u);
  EXPECT_NE(device.pieces, nullptr);
}

TEST_P(StoppableRuns, FailOnceWithTheDevice) {
  Counted counted;
  for (int at = 1; at <= 4; ++at) {
    MadeUpDevice device(counted, 3, GetParam());
    device.fails_at = at;
    Ended ended;
    run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended));
    EXPECT_EQ(ended.calls, 1);
    EXPECT_EQ(ended.result.status, CL_OUT_OF_RESOURCES);
    EXPECT_EQ(ended.result.accepted, at <= 2 ? 0 : SIZE_MAX) << "whether the launch may have run";
  }
  MadeUpDevice device(counted, 3, GetParam());
  device.memory_bytes = 0;
  Ended ended;
  run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended));
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(ended.result.status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_P(StoppableRuns, RefuseStatesOfAnotherSize) {
  Counted counted;
  for (const bool local : {false, true}) {
    MadeUpDevice device(counted, 5, GetParam());
    const auto saved = std::make_shared<SavedGroups>();
    saved->put(3, {7, std::vector<std::uint32_t>(GetParam() ? 3 : 6), std::vector<std::byte>(local ? 1024 : 0)});
    if (!local && !GetParam()) saved->put(3, {7, std::vector<std::uint32_t>(7), {}});
    Ended ended;
    run_on(device, batch_of(saved, nullptr, {0, kGroupsInAll}, ended));
    EXPECT_EQ(ended.result.status, CL_OUT_OF_RESOURCES);
    EXPECT_NE(ended.result.reason.find("the state of group 3"), std::string::npos) << ended.result.reason;
    EXPECT_EQ(device.runs, 0u);
  }
}

// `used`: it shows only when memory is first used.
void expect_fewer_groups_at_a_time(bool together, bool used) {
  Counted counted;
  MadeUpDevice device(counted, 5, together);
  (used ? device.used_bytes : device.memory_bytes) = 700;  // words of control take 128, and a group 16
  const auto saved = std::make_shared<SavedGroups>();
  saved->put(kGroupsInAll - 1, {});
  Ended ended;
  run_on(device, batch_of(saved, nullptr, {0, kGroupsInAll}, ended));
  EXPECT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
  expect_each_once(counted, {0, kGroupsInAll - 1}, together);
}

TEST_P(StoppableRuns, TakeFewerGroupsAtATimeWhereMemoryIsShort) {
  expect_fewer_groups_at_a_time(GetParam(), false);
  expect_fewer_groups_at_a_time(GetParam(), true);
}

TEST_P(StoppableRuns, FailRatherThanTakeFewerOfGroupsThatWaitForEachOther) {
  Counted counted;
  MadeUpDevice device(counted, 5, GetParam());
  device.memory_bytes = 700;
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
  MadeUpDevice device(counted, 5, GetParam());
  Ended ended;
  Batch batch = batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended);
  std::get<RunOp>(batch.ops.back()).quantum_ns = std::uint64_t{1} << 62;
  run_on(device, std::move(batch));
  EXPECT_EQ(ended.result.status, CL_SUCCESS);
  EXPECT_EQ(device.quantum, static_cast<std::uint32_t>(INT32_MAX));
}

TEST_P(StoppableRuns, DoWhatComesBeforeAlsoIfAllGroupsHaveEnded) {
  Counted counted;
  MadeUpDevice device(counted, 3, GetParam());
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

INSTANTIATE_TEST_SUITE_P(ItemsLeave, StoppableRuns, testing::Bool(),
                         [](const auto& param) { return param.param ? "together" : "one_by_one"; });

}  // namespace
}  // namespace skmd::icd
