// SPDX-License-Identifier: Apache-2.0
// Plans are judged by what the application's rounds took under them.
#include "partitioner/model/round_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace skmd::domain {
namespace {

constexpr RoundTimes::Devices kGpu = 1, kCpu = 2, kBoth = 3;

/// An application whose rounds take so long under each plan, and a model that wants one of them.
class Application {
 public:
  /// Follows `wanted`, or what is said instead. Returns the plan that was followed.
  RoundTimes::Devices run(RoundTimes::Devices wanted) {
    const RoundTimes::Devices plan = rounds.instead_of(wanted, candidates, dear, launch).value_or(wanted);
    now += seconds(plan) + (plan != last ? 0.5 : 0.0);  // the way there
    last = plan;
    rounds.ended(plan, now, by_itself);
    return plan;
  }
  [[nodiscard]] double seconds(RoundTimes::Devices plan) const {
    return plan == kGpu ? gpu : plan == kCpu ? cpu : both;
  }
  /// Of so many launches, those that followed `plan`.
  int followed(RoundTimes::Devices plan, RoundTimes::Devices wanted, int launches) {
    int count = 0;
    for (int i = 0; i < launches; ++i) count += run(wanted) == plan ? 1 : 0;
    return count;
  }

  RoundTimes rounds;
  std::vector<RoundTimes::Candidate> candidates;
  RoundTimes::ChangeOfPlan dear;
  double gpu = 0.010, cpu = 0.012, both = 0.020;
  double launch = 0.0;  // what it is predicted to take; 0: nothing is predicted
  double now = 1.0;
  bool by_itself = true;
  RoundTimes::Devices last = 0;
};

TEST(RoundTimes, APlanThatMakesRoundsLongerIsGivenUp) {
  Application a;
  EXPECT_EQ(a.followed(kGpu, kGpu, 10), 10);
  EXPECT_LE(a.followed(kBoth, kBoth, 60), 4) << "of 60";
  EXPECT_EQ(a.last, kGpu);
}

TEST(RoundTimes, APlanThatMakesThemShorterStays) {
  Application a;
  a.both = 0.006;
  a.followed(kGpu, kGpu, 10);
  EXPECT_EQ(a.followed(kBoth, kBoth, 200), 200);
}

TEST(RoundTimes, TheFirstRoundsWithADeviceTellLittleAgainstASplit) {
  Application a;
  a.both = 0.0088;
  a.followed(kGpu, kGpu, 10);
  const double settled = a.both;
  a.both = 0.0125;  // the device's memory is made
  EXPECT_EQ(a.followed(kBoth, kBoth, 3), 3);
  a.both = settled;
  EXPECT_EQ(a.followed(kBoth, kBoth, 60), 60);
  Application later;  // the same of a device that was used before
  later.followed(kCpu, kCpu, 5);
  later.followed(kGpu, kGpu, 10);
  later.both = 0.0125;
  EXPECT_LT(later.followed(kBoth, kBoth, 20), 8);
}

TEST(RoundTimes, SmallDifferencesAreTheModelsToJudge) {
  Application a;
  a.cpu = 0.0102;
  a.followed(kGpu, kGpu, 10);
  EXPECT_EQ(a.followed(kCpu, kCpu, 200), 200);
}

TEST(RoundTimes, ALaunchThatIsASmallPartOfTheRoundIsNotBlamedForIt) {
  for (const double part : {0.01, 0.1}) {
    Application a;
    a.followed(kGpu, kGpu, 10);
    a.launch = part * a.cpu;
    EXPECT_EQ(a.followed(kCpu, kCpu, 60) == 60, part == 0.01) << part;
  }
  Application split;
  split.followed(kGpu, kGpu, 10);
  split.launch = 0.01 * split.both;
  EXPECT_LE(split.followed(kBoth, kBoth, 60), 4) << "several devices may take longer than is predicted";
}

TEST(RoundTimes, WhatWasGivenUpIsTriedMoreAndMoreSeldom) {
  Application a;
  a.followed(kGpu, kGpu, 10);
  const int early = a.followed(kBoth, kBoth, 1000);
  const int late = a.followed(kBoth, kBoth, 4000);
  EXPECT_GT(early, 4);
  EXPECT_LE(early, 16);
  EXPECT_LE(late, 8);
}

TEST(RoundTimes, TheWorldMayChange) {
  Application a;
  a.followed(kGpu, kGpu, 10);
  a.followed(kBoth, kBoth, 20);
  a.both = 0.005;  // of the next trial on
  EXPECT_GE(a.followed(kBoth, kBoth, 200), 130);
  a.both = 0.030;
  a.followed(kBoth, kBoth, 10);
  EXPECT_EQ(a.last, kGpu);
}

TEST(RoundTimes, OneSlowRoundTellsNothing) {
  Application a;
  a.both = 0.008;
  a.followed(kGpu, kGpu, 10);
  for (int i = 0; i < 100; ++i) {
    a.now += i % 4 == 3 ? 0.1 : 0.0;  // the machine stood still
    EXPECT_EQ(a.run(kBoth), kBoth) << i;
  }
}

TEST(RoundTimes, UnknownEndsAndInterruptionsCountForNothing) {
  RoundTimes rounds;
  for (int i = 0; i < 20; ++i) {
    rounds.ended(kGpu, 1.0 + 0.01 * i);
    rounds.ended(kGpu, std::nullopt);
  }
  EXPECT_FALSE(rounds.median(kGpu));
  for (int i = 0; i < 20; ++i) {
    rounds.ended(kGpu, 2.0 + 0.01 * i);
    rounds.interrupted();
  }
  EXPECT_FALSE(rounds.median(kGpu));
  for (int i = 0; i < 4; ++i) rounds.ended(kGpu, 3.0 + 0.01 * i);
  EXPECT_NEAR(rounds.median(kGpu).value_or(0), 0.01, 1e-9);
  EXPECT_FALSE(rounds.instead_of(kBoth)) << "never followed";
}

TEST(RoundTimes, WhatIsPredictedToBeBetterThanWhatIsMeasuredIsTriedOnce) {
  Application a;
  a.candidates = {{kGpu, 0.009}, {kCpu, 0.025}};
  a.followed(kBoth, kBoth, 10);  // 20 ms, not as predicted
  EXPECT_EQ(a.last, kGpu);
  EXPECT_EQ(a.followed(kGpu, kBoth, 20), 20) << "it is better, and stays";
  Application b;
  b.candidates = {{kGpu, 0.009}, {kCpu, 0.005}};
  b.gpu = 0.030;
  b.cpu = 0.030;
  EXPECT_EQ(b.followed(kBoth, kBoth, 200), 192) << "each candidate is tried for four launches, and never again";
}

TEST(RoundTimes, NothingIsTriedWhereRoundsHoldOtherLaunches) {
  Application a;
  a.by_itself = false;
  a.candidates = {{kGpu, 0.009}, {kCpu, 0.005}};
  EXPECT_EQ(a.followed(kBoth, kBoth, 50), 50);
}

/// Of whole rounds; the first number is the plan that is measured.
Application with_whole_rounds(double cpu_at_best, double cpu) {
  Application a;
  a.by_itself = false;
  a.cpu = cpu;
  a.candidates = {{kGpu, 0.009, true}, {kCpu, cpu_at_best, true}};
  return a;
}

TEST(RoundTimes, ADeviceThatMayBeFarBetterIsTriedWithAllLaunchesOfARound) {
  Application a = with_whole_rounds(0.004, 0.007);
  EXPECT_EQ(a.followed(kGpu, kGpu, 5), 5) << "two rounds to compare with, behind the first two";
  EXPECT_EQ(a.followed(kCpu, kGpu, 60), 60);
  Application b = with_whole_rounds(0.004, 0.012);
  EXPECT_EQ(b.followed(kGpu, kGpu, 203), 199) << "tried once, and worse";
}

TEST(RoundTimes, ATrialOfWholeRoundsEndsSoonWhereTheyAreFarLonger) {
  Application a = with_whole_rounds(0.004, 0.050);
  EXPECT_EQ(a.followed(kGpu, kGpu, 203), 201) << "the way there, and one round";
}

TEST(RoundTimes, WholeRoundsAreNotTriedWhereLittleCanBeWonOrThePlanIsASplit) {
  Application a = with_whole_rounds(0.0095, 0.007);
  EXPECT_EQ(a.followed(kGpu, kGpu, 60), 60);
  Application b = with_whole_rounds(0.004, 0.007);
  EXPECT_EQ(b.followed(kBoth, kBoth, 60), 60);
}

TEST(RoundTimes, WholeRoundsAreNotTriedWhereTheyMayTakeFarLonger) {
  Application a = with_whole_rounds(0.004, 0.007);
  a.candidates[1].at_most = 0.045;
  EXPECT_EQ(a.followed(kGpu, kGpu, 60), 60);
  a.candidates[1].at_most = 0.035;
  EXPECT_EQ(a.followed(kCpu, kGpu, 60), 60);
}

TEST(RoundTimes, ATrialWhoseFirstRoundIsDearWaitsUntilAsMuchWasMissed) {
  Application a = with_whole_rounds(0.004, 0.007);
  a.dear = {kCpu, 0.060};  // ten rounds' gain
  EXPECT_EQ(a.followed(kGpu, kGpu, 9), 9);
  EXPECT_EQ(a.followed(kCpu, kGpu, 60), 60);
  Application b;
  b.candidates = {{kGpu, 0.010}};
  b.dear = {kGpu | kCpu, 0.195};  // twenty rounds' gain, nearly
  EXPECT_EQ(b.followed(kBoth, kBoth, 19), 19);
  EXPECT_EQ(b.followed(kGpu, kBoth, 20), 20);
  Application c = with_whole_rounds(0.004, 0.007);
  c.dear = {kGpu, 0.060};
  EXPECT_EQ(c.followed(kGpu, kGpu, 5), 5);
  EXPECT_EQ(c.followed(kCpu, kGpu, 60), 60) << "its first round is not dear";
}

TEST(RoundTimes, SlowRoundsAtFirstSayNothingAgainstAPlan) {
  Application a = with_whole_rounds(0.0095, 0.011);  // little may be won, and nothing is
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(a.run(kGpu), kGpu);
    a.now += 0.1;  // programs are built
  }
  EXPECT_EQ(a.followed(kGpu, kGpu, 60), 60);
}

TEST(RoundTimes, ATrialGoesOnWhereALaunchWouldExplore) {
  Application a = with_whole_rounds(0.004, 0.007);
  EXPECT_FALSE(a.rounds.instead_of_exploring());
  a.followed(kGpu, kGpu, 5);
  EXPECT_EQ(a.run(kGpu), kCpu);
  EXPECT_EQ(a.rounds.instead_of_exploring(), kCpu);
  EXPECT_EQ(a.rounds.instead_of_exploring(), kCpu);
  EXPECT_EQ(a.rounds.instead_of_exploring(), kCpu);
  EXPECT_FALSE(a.rounds.instead_of_exploring()) << "four launches";
}

// Otherwise a plan whose rounds are longer would be followed for as long as there is something to explore beside it.
TEST(RoundTimes, AnExploringLaunchGivesUpAPlanThatMakesRoundsLonger) {
  Application a;
  EXPECT_FALSE(a.rounds.instead_of_exploring());
  a.followed(kGpu, kGpu, 10);
  EXPECT_FALSE(a.rounds.instead_of_exploring()) << "nothing is shorter";
  EXPECT_EQ(a.followed(kBoth, kBoth, 3), 3);
  EXPECT_EQ(a.rounds.instead_of_exploring(), kGpu);
  EXPECT_EQ(a.rounds.instead_of_exploring(), kGpu) << "it stays given up";
  EXPECT_EQ(a.run(kBoth), kGpu);
}

TEST(RoundTimes, APlanOfTheFirstRoundsIsTriedAgainThoughPredictedToBeWorse) {
  Application a;
  a.followed(kGpu, kGpu, 2);  // one round of 10 ms
  a.candidates = {{kGpu, 0.025}};
  a.followed(kBoth, kBoth, 12);
  EXPECT_EQ(a.last, kGpu);
}

TEST(RoundTimes, NothingIsTriedWherePredictionsHold) {
  Application a;
  a.candidates = {{kGpu, 0.021}, {kCpu, 0.0199}};
  EXPECT_EQ(a.followed(kBoth, kBoth, 200), 200);
}

TEST(RoundTimes, TheBestOfSeveralTakesTheirPlace) {
  Application a;
  a.followed(kGpu, kGpu, 10);
  a.followed(kCpu, kCpu, 2);
  a.cpu = 0.008;
  a.followed(kCpu, kCpu, 10);
  a.followed(kBoth, kBoth, 20);
  EXPECT_EQ(a.last, kCpu);
}

/// A device whose rounds get shorter by `step` with each, down to `least`; another one takes 10 ms.
int launches_on_trial(double first, double step, double least) {
  RoundTimes rounds;
  const std::vector<RoundTimes::Candidate> candidates{{kGpu, 0.010}, {kCpu, 0.005}};
  double now = 1.0, next = first;
  int on_cpu = 0;
  for (int i = 0; i < 60; ++i) {
    const RoundTimes::Devices plan = rounds.instead_of(kGpu, candidates).value_or(kGpu);
    on_cpu += plan == kCpu ? 1 : 0;
    now += plan == kGpu ? 0.010 : next;
    if (plan == kCpu) next = std::max(least, next - step);
    rounds.ended(plan, now);
  }
  return on_cpu;
}

TEST(RoundTimes, ATrialGoesOnWhileItsRoundsGetShorter) {
  EXPECT_GT(launches_on_trial(0.014, 0.0015, 0.006), 30) << "rounds of 14, 12.5, 11, 9.5 ms and so on";
  EXPECT_EQ(launches_on_trial(0.011, 0.0, 0.006), 4) << "they stay as they are";
  EXPECT_LE(launches_on_trial(0.0129, 0.0006, 0.010), 10) << "they never become shorter than the others";
}

}  // namespace
}  // namespace skmd::domain
