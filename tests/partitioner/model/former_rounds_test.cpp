// SPDX-License-Identifier: Apache-2.0
// What former processes kept of an application's rounds, and what a process makes of it.
#include "partitioner/model/former_rounds.h"

#include <gtest/gtest.h>

#include <vector>

#include "partitioner/model/round_constants.h"
#include "partitioner/model/round_times.h"

namespace skmd::domain {
namespace {

const DeviceKey kDevice{"platform", "device", "1", 4};
const NdRange kRange{1, {0, 0, 0}, {1024, 1, 1}, {64, 1, 1}};

StoredSample kept(double seconds, std::uint32_t rounds, std::int64_t date) {
  StoredSample one;
  one.sample.kernel = {"program", "kernel", std::string(kRoundsForm)};
  one.sample.device = kDevice;
  one.sample.range = kRange;
  one.sample.span = {0, 16};
  one.sample.kernel_ns = static_cast<std::uint64_t>(seconds * 1e9);
  one.sample.passed_over = rounds - 1;
  one.sample.date = date;
  return one;
}

TEST(FormerRounds, AreKeptAtTheFirstFewAndWhereverThereAreTwiceAsMany) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t rounds = 0; rounds < 50; ++rounds)
    if (keeps_rounds(rounds)) counts.push_back(rounds);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{3, 6, 12, 24, 48}));
}

TEST(FormerRounds, AreCountedOnceForEachProcess) {
  // Two processes, of 12 and of 3 rounds.
  const std::vector<StoredSample> samples{kept(0.010, 3, 1), kept(0.012, 6, 1), kept(0.011, 12, 2), kept(0.009, 3, 3)};
  const auto rounds = former_rounds(samples, kDevice, kRange);
  ASSERT_TRUE(rounds);
  EXPECT_EQ(rounds->total, 15.0);
  EXPECT_EQ(rounds->of_one, 7.5);
  EXPECT_NEAR(rounds->seconds, 0.010, 1e-9);
}

TEST(FormerRounds, TheNewestCount) {
  std::vector<StoredSample> samples;
  for (int date = 0; date < 20; ++date) samples.push_back(kept(date < 15 ? 0.5 : 0.010, 3, date));
  EXPECT_NEAR(former_rounds(samples, kDevice, kRange)->seconds, 0.010, 1e-9);
}

TEST(FormerRounds, OfOtherLaunchesDevicesAndMachinesDoNotCount) {
  NdRange other_range = kRange;
  other_range.local[0] = 32;
  EXPECT_FALSE(former_rounds(std::vector{kept(0.010, 3, 1)}, kDevice, other_range));
  DeviceKey other_units = kDevice;
  other_units.units = 8;
  EXPECT_FALSE(former_rounds(std::vector{kept(0.010, 3, 1)}, other_units, kRange));
  StoredSample imported = kept(0.010, 3, 1);
  imported.origin = SampleOrigin::imported;
  EXPECT_FALSE(former_rounds(std::vector{imported}, kDevice, kRange));
  EXPECT_FALSE(former_rounds({}, kDevice, kRange));
}

constexpr RoundTimes::Devices kGpu = 1, kCpu = 2;

/// A process whose model wants the GPU, and whose first round on the processor takes `touching` longer.
struct Process {
  explicit Process(double touching = 0.0) : dear{kCpu, touching} {}
  RoundTimes::Devices run() {
    const RoundTimes::Devices plan = rounds.instead_of(kGpu, candidates, dear).value_or(kGpu);
    now += (plan == kGpu ? gpu : cpu) + ((seen & plan) == 0 ? dear.seconds : 0.0);
    seen |= plan;
    rounds.ended(plan, now);
    return plan;
  }
  int on_cpu(int launches) {
    int count = 0;
    for (int i = 0; i < launches; ++i) count += run() == kCpu ? 1 : 0;
    return count;
  }
  void remember(double gpu_seconds, double cpu_seconds, double of_one = 12) {
    std::vector<RoundTimes::Former> all{{kGpu, {gpu_seconds, 5 * of_one, of_one}}};
    if (cpu_seconds > 0) all.push_back({kCpu, {cpu_seconds, 5 * of_one, of_one}});
    rounds.remember(all);
  }
  RoundTimes rounds;
  std::vector<RoundTimes::Candidate> candidates;
  RoundTimes::ChangeOfPlan dear;
  double gpu = 0.0064, cpu = 0.0053, now = 1.0;
  RoundTimes::Devices seen = 0;
};

TEST(FormerRounds, TheShorterPlanIsFollowedFromTheFirstLaunchOn) {
  Process p(0.010);
  p.remember(p.gpu, p.cpu);
  EXPECT_EQ(p.on_cpu(60), 60);
}

TEST(FormerRounds, NotWhereItIsShorterByLessThanProcessesDiffer) {
  Process p;
  p.remember(p.gpu, p.gpu / tuning::kLongerBefore);
  EXPECT_EQ(p.run(), kGpu);
}

TEST(FormerRounds, NotWhereAProcessHasTooFewRoundsForWhatTheFirstOneTakesLonger) {
  Process few(0.010), many(0.010);
  few.remember(few.gpu, few.cpu, 9);
  many.remember(many.gpu, many.cpu, 10);
  EXPECT_EQ(few.on_cpu(10), 0);
  EXPECT_EQ(many.on_cpu(10), 10);
}

TEST(FormerRounds, AreForgottenWhereThisProcessHasOthers) {
  Process p;
  p.remember(p.gpu, p.cpu);
  p.gpu = 1e-3;  // what is launched stays on the device in this process
  p.cpu = 3e-3;
  EXPECT_LE(p.on_cpu(60), 8);
}

TEST(FormerRounds, OfThisProcessCountWhereTheyAreThere) {
  Process p;
  p.cpu = 0.009;
  p.on_cpu(10);
  p.remember(p.gpu * 3, p.cpu / 3);
  EXPECT_EQ(p.on_cpu(4), 4) << "only the GPU's were measured";
  EXPECT_EQ(p.on_cpu(50), 0);
}

TEST(FormerRounds, ShortenTheWayToATrial) {
  Process nothing(0.030), known(0.030);
  known.remember(known.gpu, 0.0);
  for (Process* p : {&nothing, &known}) p->candidates = {{kGpu, 0.0064}, {kCpu, 0.0040}};
  EXPECT_EQ(nothing.on_cpu(12), 0);
  EXPECT_GT(known.on_cpu(12), 4);
}

TEST(FormerRounds, APlanWhoseRoundsWereLongerIsNotTriedAgain) {
  Process p;
  p.candidates = {{kGpu, 0.0064}, {kCpu, 0.0040}};
  p.remember(p.gpu, 0.009);
  EXPECT_EQ(p.on_cpu(40), 0);
}

TEST(FormerRounds, WaitWhereBytesWouldMoveThatMayBeWrittenAnew) {
  Process p;
  p.dear.moves = true;
  p.remember(p.gpu, p.cpu);
  EXPECT_EQ(p.run(), kGpu);
  EXPECT_FALSE(p.rounds.instead_of_exploring(p.dear));
  EXPECT_EQ(p.run(), kGpu);
  EXPECT_EQ(p.on_cpu(20), 20);
}

TEST(FormerRounds, AreNotFollowedByExploringEitherWhatTheFirstOneTakesLonger) {
  Process p(10.0);
  p.remember(p.gpu, p.cpu);
  p.run();
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(p.rounds.instead_of_exploring(p.dear));
}

// A split that this process finds to be longer than the GPU, while a former plan is not to be followed.
TEST(FormerRounds, ThatAreNotFollowedHideNoOtherPlan) {
  constexpr RoundTimes::Devices kBoth = 3;
  for (const bool dear : {true, false}) {
    RoundTimes rounds;
    RoundTimes::ChangeOfPlan first;
    if (dear)
      first = {kCpu, 10.0};
    else
      first.possible = kGpu;
    const std::vector<RoundTimes::Former> former{{kCpu, {0.002, 60, 12}}};
    rounds.remember(former);
    double now = 1.0;
    int split = 0;
    for (int i = 0; i < 60; ++i) {
      const RoundTimes::Devices wanted = i < 10 ? kGpu : kBoth;
      const RoundTimes::Devices plan = rounds.instead_of(wanted, {}, first).value_or(wanted);
      EXPECT_NE(plan, kCpu);
      split += plan == kBoth ? 1 : 0;
      now += plan == kBoth ? 0.020 : 0.010;
      rounds.ended(plan, now);
    }
    EXPECT_LT(split, 10) << dear;
  }
}

TEST(FormerRounds, ThatHeldOtherLaunchesAreFollowedByThoseThatLeadThem) {
  std::vector<RoundTimes::Former> former{{kGpu, {0.010, 60, 12}}, {kCpu, {0.005, 60, 12, false}}};
  for (const bool leads : {false, true}) {
    RoundTimes rounds;
    rounds.remember(former);
    RoundTimes::ChangeOfPlan first;
    first.leads = leads;
    EXPECT_EQ(rounds.instead_of(kGpu, {}, first).has_value(), leads);
  }
}

TEST(FormerRounds, GiveWayToThreeOfThisProcess) {
  Process p;
  p.remember(p.gpu, 0.0);
  p.gpu = 0.0058;
  for (int i = 0; i < 6; ++i) p.run();
  EXPECT_NEAR(*p.rounds.median(kGpu), p.gpu, 1e-9);
}

TEST(FormerRounds, APlanThatWasGivenUpForThemIsNotTriedInstead) {
  Process p;
  p.candidates = {{kGpu, 0.0040}, {kCpu, 0.0050}};  // what the launch alone is expected to take
  p.remember(p.gpu, p.cpu);
  EXPECT_EQ(p.on_cpu(60), 60);
  Process follows_cpu;
  follows_cpu.candidates = p.candidates;
  follows_cpu.remember(p.gpu, p.cpu);
  EXPECT_EQ(follows_cpu.rounds.instead_of(kGpu, p.candidates), kCpu);
  for (int i = 0; i < 30; ++i) {
    follows_cpu.now += p.cpu;
    follows_cpu.rounds.ended(kCpu, follows_cpu.now);
    EXPECT_FALSE(follows_cpu.rounds.instead_of(kCpu, p.candidates)) << i;
  }
}

TEST(FormerRounds, AHopelessTrialIsTold) {
  Process p;
  p.cpu = 0.020;
  p.candidates = {{kGpu, 0.0064}, {kCpu, 0.0040}};
  RoundTimes::Told last = RoundTimes::Told::nothing;
  for (int i = 0; i < 30 && last != RoundTimes::Told::hopeless; ++i) {
    const RoundTimes::Devices plan = p.rounds.instead_of(kGpu, p.candidates, p.dear).value_or(kGpu);
    p.now += plan == kGpu ? p.gpu : p.cpu;
    last = p.rounds.ended(plan, p.now);
  }
  EXPECT_EQ(last, RoundTimes::Told::hopeless);
  EXPECT_EQ(p.on_cpu(20), 0);
}

}  // namespace
}  // namespace skmd::domain
