// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/launch_ledger.h"

#include <gtest/gtest.h>

#include <vector>

namespace skmd::domain {
namespace {

const NdRange kRange{1, {0, 0, 0}, {6400, 1, 1}, {64, 1, 1}};

/// Of launches that take 0.1 s on the best single device.
LaunchOutcome split_of(double seconds) { return {1, kRange, 0.1, seconds, true, false, 0}; }
LaunchOutcome whole_launch() { return {1, kRange, 0.1, 0.0, false, false, 0}; }

TEST(LaunchLedger, TwoLossesInARowBarSplitsForLongerEachTime) {
  LaunchLedger ledger;
  ledger.add(split_of(0.2));
  EXPECT_FALSE(ledger.experience().split_barred);
  ledger.add(split_of(0.05));
  ledger.add(split_of(0.2));
  EXPECT_FALSE(ledger.experience().split_barred);
  ledger.add(split_of(0.2));
  std::vector<int> bars;
  for (int i = 0; i < 4; ++i) {
    bars.push_back(0);
    while (ledger.experience().split_barred) {
      ledger.add(whole_launch());
      ++bars.back();
    }
    ledger.add(split_of(0.2));  // tried again, once
  }
  EXPECT_EQ(bars, std::vector<int>({64, 128, 256, 512}));
}

TEST(LaunchLedger, ADisturbanceOfTwoLaunchesDoesNotBarASplitThatSaves) {
  LaunchLedger ledger;
  for (int i = 0; i < 4; ++i) ledger.add(split_of(0.05));
  for (int i = 0; i < 2; ++i) ledger.add(split_of(0.12));
  EXPECT_FALSE(ledger.experience().split_barred);
  for (int i = 0; i < 6; ++i) ledger.add(split_of(0.12));
  EXPECT_TRUE(ledger.experience().split_barred) << "it lasts";
}

TEST(LaunchLedger, ASplitThatSavesLittleIsBarredByTwoLosses) {
  LaunchLedger ledger;
  for (int i = 0; i < 4; ++i) ledger.add(split_of(0.098));
  for (int i = 0; i < 2; ++i) ledger.add(split_of(0.12));
  EXPECT_TRUE(ledger.experience().split_barred);
}

TEST(LaunchLedger, ADeviceThatBecomesEligibleEndsABar) {
  LaunchLedger ledger;
  const auto add = [&ledger](LaunchOutcome outcome, std::uint64_t devices) {
    outcome.devices = devices;
    ledger.add(outcome);
  };
  for (int i = 0; i < 2; ++i) add(split_of(0.2), 0b101);
  add(whole_launch(), 0b101);
  add(whole_launch(), 0b001);
  EXPECT_TRUE(ledger.experience().split_barred);
  add(whole_launch(), 0b101);
  EXPECT_TRUE(ledger.experience().split_barred) << "it was there before";
  add(whole_launch(), 0b111);
  EXPECT_FALSE(ledger.experience().split_barred);
  EXPECT_EQ(ledger.experience().changes, 0u);
  for (int i = 0; i < 2; ++i) add(split_of(0.2), 0b111);
  EXPECT_TRUE(ledger.experience().split_barred);
}

TEST(LaunchLedger, WhatWasSavedDelaysABarByFewLaunches) {
  LaunchLedger ledger;
  for (int i = 0; i < 20; ++i) ledger.add(split_of(0.05));
  int losses = 0;
  for (; !ledger.experience().split_barred && losses < 100; ++losses) ledger.add(split_of(0.12));
  EXPECT_GE(losses, 3);
  EXPECT_LE(losses, 8) << "however many splits had saved";
}

TEST(LaunchLedger, ABarBeginsANewAccount) {
  LaunchLedger ledger;
  for (int i = 0; i < 2; ++i) ledger.add(split_of(0.9));
  while (ledger.experience().split_barred) ledger.add(whole_launch());
  ledger.add(split_of(0.05));
  for (int i = 0; i < 2; ++i) ledger.add(split_of(0.101));
  EXPECT_FALSE(ledger.experience().split_barred) << "what was lost before the bar was paid for by it";
}

TEST(LaunchLedger, ExploringAndFirstUsesCostButDoNotBar) {
  LaunchLedger ledger;
  for (int i = 0; i < 5; ++i) {
    LaunchOutcome outcome = split_of(0.2);
    outcome.exploring = i % 2 == 0;
    outcome.first_uses = i % 2;
    ledger.add(outcome);
  }
  EXPECT_FALSE(ledger.experience().split_barred);
  EXPECT_NEAR(ledger.experience().lost_seconds, 3 * 0.1 + 2 * 0.025, 1e-9) << "first uses count a quarter of a round";
  EXPECT_NEAR(ledger.experience().seconds, 0.5, 1e-9);
}

TEST(LaunchLedger, AFirstUseThatTakesManyRoundsCounts) {
  LaunchLedger ledger;
  LaunchOutcome outcome = split_of(1.1);
  outcome.first_uses = 2;
  ledger.add(outcome);
  EXPECT_NEAR(ledger.experience().lost_seconds, 1.0 - 3 * 0.1, 1e-9);
}

TEST(LaunchLedger, MachineThatStoodStillIsNotACost) {
  LaunchLedger ledger;
  ledger.add(split_of(3600));
  EXPECT_LT(ledger.experience().lost_seconds, 5);
}

TEST(LaunchLedger, TheWayToAnotherPlanIsNotTheSplitsFault) {
  LaunchLedger ledger;
  LaunchOutcome outcome = split_of(0.5);
  for (std::uint64_t plan = 1; plan <= 3; ++plan) {
    outcome.plan = plan;
    ledger.add(outcome);
    EXPECT_FALSE(ledger.experience().split_barred) << plan;
  }
  EXPECT_NEAR(ledger.experience().lost_seconds, 0.3, 1e-9) << "no more than what the launches would have taken";
  // Plans that change with each launch are judged all the same.
  for (std::uint64_t plan = 4; plan <= 5; ++plan) {
    outcome.plan = plan;
    ledger.add(outcome);
  }
  EXPECT_TRUE(ledger.experience().split_barred);
}

TEST(LaunchLedger, RoundsPayWithAllThatTheyTake) {
  LaunchLedger ledger;
  LaunchOutcome outcome = whole_launch();  // 0.1 s
  outcome.round_seconds = 1.0;
  ledger.add(outcome);
  EXPECT_NEAR(ledger.experience().seconds, 1.0, 1e-9);
}

TEST(LaunchLedger, PlansAreToldApart) {
  const std::uint64_t one = plan_id(plan_id(0, {0, {0, 50}}), {1, {50, 100}});
  EXPECT_EQ(one, plan_id(plan_id(0, {0, {0, 50}}), {1, {50, 100}}));
  EXPECT_NE(one, plan_id(plan_id(0, {0, {0, 51}}), {1, {51, 100}}));
  EXPECT_NE(one, plan_id(plan_id(0, {0, {0, 50}}), {2, {50, 100}}));
}

}  // namespace
}  // namespace skmd::domain
