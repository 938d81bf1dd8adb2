// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/known_times.h"

#include <gtest/gtest.h>

#include <limits>

#include <vector>

namespace skmd::domain {
namespace {

constexpr std::uint64_t kGroups = 1024, kKernel = 5;
const NdRange kRange{1, {0, 0, 0}, {kGroups * 64, 1, 1}, {64, 1, 1}};

/// `seconds` for the whole launch, in proportion to the groups.
StoredModel stored(double seconds, ModelSource source = ModelSource::database) {
  StoredModel model;
  model.model.terms = {{{TermShape::groups}, seconds / kGroups}};
  model.model.error = 0.05;
  model.model.largest_work = kGroups;
  model.source = source;
  return model;
}

class KnownTimesTest : public testing::Test {
 protected:
  KnownTimesTest() {
    point_.groups = point_.launch_groups = kGroups;
    of_ = [this]() -> const Point& {
      ++asked_;
      return point_;
    };
  }
  [[nodiscard]] DeviceModel ask(const KnownTimes& times, std::uint32_t device = 0) const {
    return times.predict(kKernel, device, kRange, of_);
  }
  void learn(KnownTimes& times, double seconds, std::uint64_t groups = kGroups, bool first = false) const {
    times.learn({kKernel, 0, kRange, {0, groups}, static_cast<std::uint64_t>(seconds * 1e9), first, of_});
  }
  void learn_often(KnownTimes& times, int count, double seconds) const {
    for (int i = 0; i < count; ++i) learn(times, seconds);
  }
  static double whole_seconds(const DeviceModel& model) {
    return model.launch_seconds + kGroups / model.groups_per_second;
  }

  Point point_;
  PointOf of_;
  mutable int asked_ = 0;
};

TEST_F(KnownTimesTest, AStoredModelAnswersFromTheFirstLaunch) {
  KnownTimes times;
  EXPECT_FALSE(ask(times).measured);
  EXPECT_EQ(asked_, 0) << "the launch's work was counted without a stored model";
  EXPECT_EQ(times.stored(kKernel), 0u);
  times.store(kKernel, 0, stored(1e-3));
  times.store(kKernel, 2, stored(1e-3, ModelSource::shipped));
  EXPECT_EQ(times.stored(kKernel), 2u);
  EXPECT_TRUE(ask(times).measured);
  EXPECT_EQ(ask(times).source, ModelSource::database);
  EXPECT_EQ(ask(times, 2).source, ModelSource::shipped);
  EXPECT_NEAR(whole_seconds(ask(times)), 1e-3, 1e-6);
  EXPECT_FALSE(ask(times, 1).measured);
  EXPECT_FALSE(times.predict(kKernel, 0, kRange).measured) << "without the launch's work there is nothing to ask";
  EXPECT_FALSE(times.predict(kKernel + 1, 0, kRange, of_).measured);
}

TEST_F(KnownTimesTest, OfStoredModelsThoseThatAreSureMayBeTheOnlyOnesThatCount) {
  constexpr std::size_t kSamples = 2;
  StoredModel sure = stored(1e-3);
  sure.samples = kSamples;
  sure.longest = kGroups / 4;
  StoredModel few = sure, of_short_slices = sure, shipped = sure;
  few.samples = kSamples - 1;
  of_short_slices.longest = kGroups / 4 - 1;
  shipped.source = ModelSource::shipped;
  for (const StoredTrust trust : {StoredTrust::sure, StoredTrust::all}) {
    const bool all = trust == StoredTrust::all;
    KnownTimes times(
        {}, [] { return 0.0; }, trust);
    times.store(kKernel, 0, sure);
    times.store(kKernel, 1, few);
    times.store(kKernel, 2, of_short_slices);
    times.store(kKernel, 3, shipped);
    EXPECT_TRUE(ask(times, 0).measured);
    EXPECT_EQ(ask(times, 1).measured, all);
    EXPECT_EQ(ask(times, 2).measured, all);
    EXPECT_EQ(ask(times, 3).measured, all);
    EXPECT_EQ(times.stored(kKernel), all ? 4u : 2u) << "short slices may decide shorter launches";
  }
}

TEST_F(KnownTimesTest, EnoughOwnSamplesTakeItsPlace) {
  KnownTimes times;
  times.store(kKernel, 0, stored(1e-3));
  learn(times, 50e-3, kGroups, true);  // holds a compilation
  EXPECT_EQ(ask(times).source, ModelSource::database);
  EXPECT_NEAR(whole_seconds(ask(times)), 1e-3, 1e-6);
  learn(times, 3e-3);
  EXPECT_EQ(ask(times).source, ModelSource::database) << "it may have been a spike";
  for (int i = 0; i < 3; ++i) learn(times, 3e-3);
  EXPECT_EQ(ask(times).source, ModelSource::process);
  EXPECT_NEAR(whole_seconds(ask(times)), 3e-3, 1e-5);
}

TEST_F(KnownTimesTest, ShortSpansDoNotTakeItsPlace) {
  KnownTimes times;
  times.store(kKernel, 0, stored(1e-3));
  for (int i = 0; i < 4; ++i) learn(times, 1e-4, kGroups / 64);  // overheads are most of it
  EXPECT_EQ(ask(times).source, ModelSource::database);
}

TEST_F(KnownTimesTest, OwnSamplesCorrectIt) {
  KnownTimes times;
  times.store(kKernel, 0, stored(1e-3));
  for (int i = 0; i < 3; ++i) learn(times, 1.04e-3);
  EXPECT_EQ(ask(times).source, ModelSource::database);
  EXPECT_GT(whole_seconds(ask(times)), 1.01e-3);
  EXPECT_LT(whole_seconds(ask(times)), 1.041e-3);
  times.store(kKernel, 0, stored(1e-3));  // another fit
  EXPECT_NEAR(whole_seconds(ask(times)), 1e-3, 1e-6);
}

TEST_F(KnownTimesTest, WhatItCannotSayIsLeftToTheRates) {
  KnownTimes times;
  StoredModel says_nothing = stored(1e-3);
  says_nothing.slower = std::numeric_limits<double>::infinity();
  times.store(kKernel, 0, says_nothing);
  EXPECT_FALSE(ask(times).measured);
  learn(times, 2e-3);
  EXPECT_EQ(ask(times).source, ModelSource::process);
}

// What decisions make of it.
TEST_F(KnownTimesTest, AKnownKernelIsSplitAtItsFirstLaunch) {
  for (const PartitionMode mode : {PartitionMode::automatic, PartitionMode::linear}) {
    KnownTimes times(std::vector<DeviceModel>(2));
    times.store(kKernel, 0, stored(10e-3));
    times.store(kKernel, 1, stored(30e-3, ModelSource::shipped));
    const std::vector<DeviceModel> devices{ask(times, 0), ask(times, 1)};
    PartitionRequest request;
    request.policy.mode = mode;
    request.groups = kGroups;
    request.devices = devices;
    request.split_seconds = 40e-6;
    const Plan plan = partition(request);
    ASSERT_EQ(plan.slices.size(), 2u);
    EXPECT_NEAR(static_cast<double>(plan.slices[0].span.size()), 0.75 * kGroups, 0.02 * kGroups);
    EXPECT_FALSE(plan.exploring);
    EXPECT_FALSE(plan.unsettled);
    EXPECT_EQ(plan.source, ModelSource::shipped) << "the most doubtful of both";
  }
}

// Whole launches may be tried by them.
TEST_F(KnownTimesTest, AStoredModelThatDecidesNothingOnlySaysWhatTheWholeLaunchTook) {
  KnownTimes times;
  StoredModel model = stored(2e-3);
  model.decides = false;
  times.store(kKernel, 0, model);
  EXPECT_EQ(times.stored(kKernel), 0u);
  EXPECT_FALSE(ask(times).measured);
  EXPECT_NEAR(ask(times).former_seconds, 2e-3, 1e-6);
  for (int i = 0; i < 4; ++i) learn(times, 5e-3);
  EXPECT_NEAR(whole_seconds(ask(times)), 5e-3, 1e-4) << "this process knows better";
  EXPECT_EQ(ask(times).former_seconds, 0.0);
}

// A process's first launches find caches and pages that were not touched.
TEST_F(KnownTimesTest, FirstLaunchesThatAreALittleSlowCountForNothing) {
  KnownTimes times;
  times.store(kKernel, 0, stored(20e-6));
  const double before = whole_seconds(ask(times));
  learn_often(times, 4, 300e-6);
  EXPECT_DOUBLE_EQ(whole_seconds(ask(times)), before);
  learn_often(times, 4, 300e-6);
  EXPECT_GT(whole_seconds(ask(times)), 250e-6);
}

TEST_F(KnownTimesTest, OtherFirstLaunchesCount) {
  struct Case {
    const char* what;
    double stored_seconds, seconds;  // none is stored: 0
  };
  for (const Case& one : {Case{"much slower", 1e-3, 3e-3}, {"faster", 400e-6, 100e-6}, {"not known", 0, 300e-6}}) {
    SCOPED_TRACE(one.what);
    KnownTimes times;
    if (one.stored_seconds > 0) times.store(kKernel, 0, stored(one.stored_seconds));
    learn_often(times, 2, one.seconds);
    EXPECT_NEAR(whole_seconds(ask(times)), one.seconds, 0.1 * one.seconds);
  }
}

TEST_F(KnownTimesTest, AnotherModelHasNoFirstLaunchesOfItsOwn) {
  KnownTimes times;
  times.store(kKernel, 0, stored(20e-6));
  learn_often(times, 4, 300e-6);
  times.store(kKernel, 0, stored(30e-6));
  learn_often(times, 2, 300e-6);
  EXPECT_GT(whole_seconds(ask(times)), 250e-6);
}

// The rates are all there is where the stored model does not count.
TEST_F(KnownTimesTest, FirstLaunchesCountWhereTheStoredModelDoesNot) {
  KnownTimes times(
      {}, [] { return 0.0; }, StoredTrust::sure);
  times.store(kKernel, 0, stored(20e-6, ModelSource::shipped));
  learn_often(times, 2, 300e-6);
  EXPECT_TRUE(ask(times).measured);
  EXPECT_NEAR(whole_seconds(ask(times)), 300e-6, 30e-6);
}

// Splits are not judged by launches of which nothing else is learnt.
TEST_F(KnownTimesTest, SplitsThatLoseInFirstLaunchesAreNotBarred) {
  for (const bool is_known : {true, false}) {
    KnownTimes times;
    if (is_known) times.store(kKernel, 0, stored(20e-6));
    for (int i = 0; i < 2; ++i) {
      learn(times, 300e-6);
      times.launched({kKernel, kRange, 20e-6, 300e-6, true, false, 0});
    }
    EXPECT_EQ(times.experience(kKernel, kRange).split_barred, !is_known);
  }
}

}  // namespace
}  // namespace skmd::domain
