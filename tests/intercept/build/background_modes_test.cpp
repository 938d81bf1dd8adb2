// SPDX-License-Identifier: Apache-2.0
// What a build waits for in the other modes and for opaque programs; what kernels tell meanwhile; many threads.
#include "tests/intercept/build/background_fixture.h"

namespace skmd::icd {
namespace {

TEST_F(BackgroundBuilds, SingleModeBuildsWhereItRunsAndNowhereElse) {
  machine.settings.policy.mode = domain::PartitionMode::single;
  machine.settings.policy.single_index = 1;
  BuildOutcome outcome = build();
  ASSERT_NE(outcome.build, nullptr);
  EXPECT_TRUE(outcome.build->kernels[0]->built_on(1));
  EXPECT_EQ(outcome.build->kernels[0]->home(), 1u);
  EXPECT_EQ(collect_blobs(machine, outcome.build->native).size(), 1u)
      << "a build that no launch has needed is not made for a binary";
  const auto record = outcome.build->native->record();
  outcome = {};
  EXPECT_EQ(record->entries()[0].state, BuildState::unneeded);
  EXPECT_EQ(builds_of(*anchor), 0u);
}

TEST_F(BackgroundBuilds, OurOwnCodeIsMadeWithTheAnalysisOnlyWhereNothingElseCouldStartOnThat) {
  machine.code_ahead = true;
  anchor->described.code_target = "x86-64-v3";
  EXPECT_EQ(code_needed(machine), "") << "another device may be sooner";
  machine.settings.policy.mode = domain::PartitionMode::equal;
  EXPECT_EQ(code_needed(machine), "") << "the other builds meanwhile";
  machine.settings.policy.mode = domain::PartitionMode::single;
  EXPECT_EQ(code_needed(machine), "x86-64-v3");
  machine.settings.policy.single_index = 1;
  EXPECT_EQ(code_needed(machine), "");
  machine.settings.policy = {};
  machine.devices = {anchor};
  EXPECT_EQ(code_needed(machine), "x86-64-v3");
}

TEST_F(BackgroundBuilds, ModesThatPromiseSharesWaitForAll) {
  for (const auto mode : {domain::PartitionMode::equal, domain::PartitionMode::fixed, domain::PartitionMode::linear}) {
    machine.settings.policy.mode = mode;
    const BuildOutcome outcome = build();
    ASSERT_NE(outcome.build, nullptr);
    EXPECT_EQ(outcome.build->native->ended(), 2u);
  }
}

TEST_F(BackgroundBuilds, NothingIsBuiltForADeviceThatIsStopped) {
  machine.stopped = 2;
  start_queue(1, 0ms, 1h);
  queue->leave_out(machine.stopped);
  const BuildOutcome outcome = build();
  ASSERT_NE(outcome.build, nullptr);
  NativeBuilds& builds = *outcome.build->native;
  EXPECT_TRUE(builds.open(1));
  EXPECT_FALSE(builds.wants_more());
  // It is stopped while its build waits in the queue.
  EXPECT_TRUE(builds.want(1));
  EXPECT_FALSE(builds.want(1)) << "it is queued once";
  queue->follow_on(outcome.build->native, {1});
  for (int i = 0; i < 3000 && builds.wants_more(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(builds.wants_more());
  EXPECT_TRUE(builds.open(1));
  machine.stopped = 0;
  EXPECT_TRUE(builds.want(1));
  queue->follow_on(outcome.build->native, {1});
  expect_built_by_itself(builds);
}

TEST_F(BackgroundBuilds, AnOpaqueProgramWaitsForItsVendorHoweverSlow) {
  start_queue(1, 0ms, 0ms);
  for (const auto& device : {anchor, other}) device->kernels = {"k"};
  anchor_gate.close();
  VendorInput input;
  input.text = "anything";
  std::atomic<bool> ended{false};
  BuildOutcome outcome;
  std::thread building([&] {
    outcome = make_opaque(machine, input, "a reason", false);
    ended = true;
  });
  anchor_gate.wait_for(1);
  EXPECT_FALSE(ended);
  anchor_gate.open();
  building.join();
  ASSERT_NE(outcome.build, nullptr);
  EXPECT_EQ(outcome.build->kernels[0]->home(), 0u);
  EXPECT_EQ(builds_of(*other), 0u) << "it runs whole, at home";
  outcome.build->native->wait(1);
  EXPECT_TRUE(outcome.build->kernels[0]->built_on(1)) << "where a launch needs it";
}

TEST_F(BackgroundBuilds, OurOwnCodeIsCompiledBesideASlowFirstDevice) {
  start_queue(3, 1h, 1h, 0, 0ms, 0ms);
  other->described.code_target = "x86-64";
  anchor_gate.close();
  std::atomic<bool> ended{false};
  BuildOutcome outcome;
  std::thread building([&] {
    outcome = build();
    ended = true;
  });
  anchor_gate.wait_for(1);
  for (int i = 0; i < 3000 && builds_of(*other) == 0; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(builds_of(*other), 1u);
  EXPECT_FALSE(ended) << "the first device is waited for";
  anchor_gate.open();
  building.join();
  ASSERT_NE(outcome.build, nullptr);
  EXPECT_TRUE(outcome.build->native->built(0));
  expect_built_by_itself(*outcome.build->native);
}

TEST_F(BackgroundBuilds, OurOwnCodeWaitsWhereNoProcessorIsIdleOrTheFirstDeviceIsFast) {
  other->described.code_target = "x86-64";
  start_queue(2, 1h, 1h, 0, 0ms, 0ms);
  ASSERT_NE(build().build, nullptr);
  EXPECT_EQ(builds_of(*other), 0u) << "two processors, and one that is left free";
  start_queue(3, 1h, 1h, 0, 0ms, 1h);
  ASSERT_NE(build("other text").build, nullptr);
  EXPECT_EQ(builds_of(*other), 0u);
}

TEST_F(BackgroundBuilds, WhatAKernelTellsOfGroupsWaitsForTheAnchorAndStays) {
  start_queue(1, 0ms, 0ms);
  anchor->limits = {256, 256, 32, 64, 8};
  other->limits = {200, 200, 8, 0, 0};
  other_gate.close();
  const BuildOutcome outcome = build();
  BuiltKernel& kernel = *outcome.build->kernels[0];
  ASSERT_TRUE(kernel.built_on(0));
  EXPECT_EQ(kernel.told().work_group_size, 256u);
  EXPECT_EQ(kernel.told().preferred_multiple, 32u);
  EXPECT_EQ(kernel.told().local_bytes, 64u);
  std::uint64_t limit = 0;
  EXPECT_TRUE(kernel.takes_group(256, limit));
  EXPECT_FALSE(kernel.takes_group(257, limit));
  EXPECT_EQ(limit, 256u);
  other_gate.open();
  kernel.builds().wait(1);
  EXPECT_EQ(kernel.told().work_group_size, 256u) << "who joins late and takes less takes no part in such launches";
  EXPECT_EQ(kernel.told().preferred_multiple, 32u);
  EXPECT_TRUE(kernel.takes_group(256, limit));
}

TEST_F(BackgroundBuilds, SixteenThreadsBuildAndGiveUpAtOnce) {
  start_queue(2, 0ms, 0ms);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const BuildOutcome outcome = build("program " + std::to_string(t) + ' ' + std::to_string(i));
        if (outcome.build == nullptr) continue;
        if (i % 3 == 0) (void)outcome.build->kernels[0]->home();
        if (i % 3 == 1) outcome.build->native->wait(1);
        if (i % 7 == 0) queue->hurry(*outcome.build->native);
        good += outcome.build->native->any_built() ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 16 * 20);
}

}  // namespace
}  // namespace skmd::icd
