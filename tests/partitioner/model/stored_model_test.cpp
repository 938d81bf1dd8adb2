// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/stored_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "partitioner/model/evaluation.h"

namespace skmd::domain {
namespace {

const DeviceKey kHere{"platform", "device", "2", 8};
constexpr double kFloor = 20e-6, kPerGroup = 1e-6;

ProfileSample sample(std::uint64_t groups, std::uint64_t launch, const DeviceKey& device, double slower = 1.0) {
  ProfileSample one;
  one.kernel = {"program", "kernel", "ready"};
  one.device = device;
  one.range = {1, {0, 0, 0}, {launch * 64, 1, 1}, {64, 1, 1}};
  one.span = {0, groups};
  one.group_operations = 64;
  one.kernel_ns = static_cast<std::uint64_t>(1e9 * slower * (kFloor + kPerGroup * static_cast<double>(groups)));
  return one;
}

/// Spans of a launch of 1024 groups, from 8 groups to all of them.
std::vector<StoredSample> samples(const DeviceKey& device, SampleOrigin origin, double slower = 1.0) {
  std::vector<StoredSample> all;
  for (std::uint64_t groups = 8; groups <= 1024; groups *= 2)
    all.push_back({sample(groups, 1024, device, slower), origin});
  return all;
}

Point whole(double groups = 1024) {
  Point point;
  point.groups = point.launch_groups = point.size = groups;
  point.operations = 64;
  return point;
}

TEST(StoredModel, CountsAsMeasuredAsFarAsItsSpansTell) {
  const std::vector<StoredSample> all = samples(kHere, SampleOrigin::here);
  const auto measured_groups = [](const std::vector<StoredSample>& some, double launch) {
    const auto stored = fit_stored(some, kHere, {});
    return stored ? device_model(*stored, whole(launch), {}).value_or(DeviceModel{}).measured_groups : 0;
  };
  EXPECT_EQ(measured_groups(all, 1024), kAnySpan);
  EXPECT_EQ(measured_groups(all, 16 * 1024), kAnySpan);
  EXPECT_EQ(measured_groups(all, 17 * 1024), 1024u) << "far beyond what was measured";
  EXPECT_EQ(measured_groups({all[0], all[3]}, 1024), 64u) << "two slices that a former process tried";
}

TEST(StoredModel, IsALineThroughWhatWasMeasured) {
  const auto stored = fit_stored(samples(kHere, SampleOrigin::here), kHere, {});
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->source, ModelSource::database);
  DeviceModel constants;
  constants.strength = 7;
  constants.first_use_seconds = 0.5;
  const auto device = device_model(*stored, whole(), constants);
  ASSERT_TRUE(device);
  EXPECT_TRUE(device->measured);
  EXPECT_EQ(device->measured_groups, kAnySpan);
  EXPECT_EQ(device->source, ModelSource::database);
  EXPECT_NEAR(device->launch_seconds, kFloor, 0.3 * kFloor);
  EXPECT_NEAR(device->launch_seconds + 1024 / device->groups_per_second, kFloor + 1024 * kPerGroup, 1e-5);
  EXPECT_LT(device->relative_error, 0.1);
  EXPECT_EQ(device->strength, 7);
  EXPECT_EQ(device->first_use_seconds, 0.5);
}

TEST(StoredModel, FurtherBoxesCostWhatTheSamplesSay) {
  std::vector<StoredSample> all;
  for (std::uint64_t groups = 8; groups <= 1024; groups *= 2)
    for (const std::uint32_t boxes : {1u, 3u, 5u}) {
      ProfileSample one = sample(groups, 1024, kHere);
      one.boxes = boxes;
      one.kernel_ns += 10'000 * boxes;
      all.push_back({one, SampleOrigin::here});
    }
  const auto stored = fit_stored(all, kHere, {});
  ASSERT_TRUE(stored);
  const auto device = device_model(*stored, whole(), {});
  ASSERT_TRUE(device);
  EXPECT_NEAR(device->box_seconds, 10e-6, 3e-6);
}

// Wider in this order, and one's own are preferred.
TEST(StoredModel, WhatWasMeasuredElsewhereIsBelievedLess) {
  DeviceKey other_driver = kHere;
  other_driver.driver = "1";
  const auto error = [](const std::vector<StoredSample>& from) {
    const auto stored = fit_stored(from, kHere, {});
    EXPECT_TRUE(stored);
    return device_model(*stored, whole(), {})->relative_error;
  };
  const double own = error(samples(kHere, SampleOrigin::here));
  const double imported = error(samples(kHere, SampleOrigin::imported));
  const double shipped = error(samples(kHere, SampleOrigin::shipped));
  const double shipped_for_another = error(samples(other_driver, SampleOrigin::shipped));
  EXPECT_LT(own, imported);
  EXPECT_LT(imported, shipped);
  EXPECT_LT(shipped, shipped_for_another);
  EXPECT_LT(shipped_for_another, 0.4);  // two equal devices still share a launch

  std::vector<StoredSample> both = samples(kHere, SampleOrigin::shipped, 3.0);
  EXPECT_EQ(fit_stored(both, kHere, {})->source, ModelSource::shipped);
  both.push_back({sample(1024, 1024, kHere), SampleOrigin::here});
  EXPECT_EQ(fit_stored(both, kHere, {})->source, ModelSource::shipped) << "one sample is no curve";
  for (const StoredSample& one : samples(kHere, SampleOrigin::here)) both.push_back(one);
  const auto stored = fit_stored(both, kHere, {});
  EXPECT_EQ(stored->source, ModelSource::database);
  EXPECT_EQ(stored->samples, 9u);
  EXPECT_NEAR(predict(*stored, whole())->seconds, kFloor + 1024 * kPerGroup, 1e-5);
}

TEST(StoredModel, FewerUnitsTakeLonger) {
  DeviceKey larger = kHere;
  larger.units = 32;
  const auto stored = fit_stored(samples(larger, SampleOrigin::shipped), kHere, {});
  ASSERT_TRUE(stored);
  EXPECT_NEAR(predict(*stored, whole())->seconds, 4 * (kFloor + 1024 * kPerGroup), 1e-4);
}

TEST(StoredModel, OtherDevicesAndFirstUsesSayNothing) {
  EXPECT_FALSE(fit_stored({}, kHere, {}));
  EXPECT_FALSE(fit_stored(samples({"platform", "another", "2", 8}, SampleOrigin::here), kHere, {}));
  EXPECT_FALSE(fit_stored(samples({"another", "device", "2", 8}, SampleOrigin::here), kHere, {}));
  std::vector<StoredSample> first = samples(kHere, SampleOrigin::here);
  for (StoredSample& one : first) one.sample.first_use = true;
  EXPECT_FALSE(fit_stored(first, kHere, {}));
}

TEST(StoredModel, WorkThatIsNotKnownIsThatOfTheLargestLaunch) {
  const auto stored = fit_stored(samples(kHere, SampleOrigin::here), kHere, {});
  ASSERT_TRUE(stored);
  Point point = whole();
  point.operations = 0;
  ASSERT_TRUE(predict(*stored, point));
  EXPECT_NEAR(predict(*stored, point)->seconds, predict(*stored, whole())->seconds, 1e-6);
}

TEST(StoredModel, WhereDataDecideTheWorkTheBandIsWide) {
  std::vector<StoredSample> all = samples(kHere, SampleOrigin::here);
  for (StoredSample& one : all) one.sample.data_decides_work = true;
  const auto stored = fit_stored(all, kHere, {});
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->model.data_decides);
  EXPECT_GE(device_model(*stored, whole(), {})->relative_error, 0.5);
}

}  // namespace
}  // namespace skmd::domain
