// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

namespace skmd::domain {
namespace {

ProfileSample sample(const std::string& device, std::uint64_t groups, std::uint64_t span, double seconds) {
  ProfileSample result;
  result.kernel = {"program", "kernel", "ready"};
  result.device = {"platform", device, "1", 16};
  result.range.global[0] = groups * 64;
  result.range.local[0] = 64;
  result.span = {0, span};
  result.group_operations = 64;
  result.buffers = {{0, groups * 256}};
  result.scalars = {{2, static_cast<std::int64_t>(groups)}};
  result.kernel_ns = static_cast<std::uint64_t>(seconds * 1e9);
  result.date = 100;
  return result;
}

/// Spans of a device whose launch takes `fixed` and `per_group` seconds.
void measure(std::vector<ProfileSample>& samples, const std::string& device, double fixed, double per_group) {
  for (const std::uint64_t groups : {4096, 8192})
    for (std::uint64_t span = 64; span <= groups; span *= 2)
      samples.push_back(sample(device, groups, span, fixed + per_group * static_cast<double>(span)));
}

std::vector<DeviceTimes> fitted(const KnownKernel& known) {
  std::vector<DeviceTimes> devices;
  for (const SampleGroup& group : known.devices) {
    std::vector<Point> points;
    for (const ProfileSample* one : group.samples) points.push_back(point_of(*one));
    devices.push_back({group.device, *fit(points, {ModelKind::arctan, group.device.units, {}})});
  }
  return devices;
}

struct Told {
  KnownKernel known;
  ProfileSample launch;
  Outlook outlook;
};

Told told(const std::vector<ProfileSample>& samples, const LaunchChange& change) {
  Told result;
  result.known = known_kernel(samples);
  result.launch = *changed(*result.known.largest, change);
  const WorkEstimate work = estimate_work(result.known.samples, result.launch);
  result.outlook = outlook(fitted(result.known), result.launch, work);
  return result;
}

std::uint64_t sum(const std::vector<std::uint64_t>& groups) {
  return std::accumulate(groups.begin(), groups.end(), std::uint64_t{0});
}

TEST(KnownKernel, IsOfTheProgramMeasuredLast) {
  std::vector<ProfileSample> samples;
  measure(samples, "a", 1e-5, 1e-6);
  samples.push_back(sample("a", 1 << 20, 1 << 20, 1));
  samples.back().kernel.program = "older";
  samples.back().date = 99;
  const KnownKernel known = known_kernel(samples);
  ASSERT_NE(known.largest, nullptr);
  EXPECT_EQ(known.largest->range.group_total(), 8192u);
  EXPECT_NE(known.left_out.find("1 other programs"), std::string::npos) << known.left_out;
}

TEST(KnownKernel, OneDeviceCountsOnceAfterItsDriverChanged) {
  std::vector<ProfileSample> samples;
  measure(samples, "a", 1e-5, 1e-6);
  samples.push_back(sample("a", 4096, 4096, 1));
  samples.back().device.driver = "0.9";
  samples.back().date = 50;
  samples.push_back(sample("a", 4096, 4096, 1));
  samples.back().device.units = 8;  // another device of that name
  const KnownKernel known = known_kernel(samples);
  ASSERT_EQ(known.devices.size(), 2u);
  EXPECT_EQ(known.devices[0].device.units, 8u);
  EXPECT_EQ(known.devices[1].device.driver, "1");
  EXPECT_NE(known.left_out.find("driver 0.9"), std::string::npos) << known.left_out;
}

TEST(KnownKernel, FirstUsesAreNoKnowledge) {
  std::vector<ProfileSample> samples{sample("a", 64, 64, 1)};
  samples.front().first_use = true;
  EXPECT_EQ(known_kernel(samples).largest, nullptr);
}

TEST(Changed, RefusesWhatNoLaunchCanBe) {
  const ProfileSample launch = sample("a", 64, 64, 1);
  const auto reason = [&](const LaunchChange& change) { return changed(launch, change).error().reason; };
  EXPECT_NE(reason({{100}, {}, {}, {}, {}}).find("100 in dimension 0 is no multiple of the local size 64"),
            std::string::npos);
  EXPECT_NE(reason({{128}, {0}, {}, {}, {}}).find("1 or more"), std::string::npos);
  EXPECT_NE(reason({{128, 2}, {64}, {}, {}, {}}).find("local size of 1 numbers"), std::string::npos);
  EXPECT_NE(reason({{1, 2, 3, 4}, {}, {}, {}, {}}).find("1 to 3"), std::string::npos);
  EXPECT_NE(reason({{}, {}, {}, {}, GroupSpan{3, 65}}).find("3:65 are no span of the launch's 64 groups"),
            std::string::npos);
  const std::uint64_t most = std::uint64_t{1} << 40;
  EXPECT_NE(reason({{most, most, most}, {1, 1, 1}, {}, {}, {}}).find("62"), std::string::npos);
  EXPECT_FALSE(changed(launch, {{}, {}, {}, {}, GroupSpan{5, 5}}));
  const auto unknown = changed(launch, {{}, {}, {{1, 5}}, {}, {}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, kNoSuchArgument);
  EXPECT_NE(unknown.error().reason.find("argument 1 is no integer; those of this kernel are 2"), std::string::npos);
  EXPECT_NE(changed(launch, {{}, {}, {}, {{7, 1}}, {}}).error().reason.find("no buffer"), std::string::npos);
}

TEST(Changed, KeepsWhatIsNotGiven) {
  const ProfileSample launch = sample("a", 64, 3, 1);
  const auto same = changed(launch, {});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->range, launch.range);
  EXPECT_EQ(same->scalars, launch.scalars);
  EXPECT_EQ(same->span, (GroupSpan{0, 64}));
  const auto other = changed(launch, {{256, 4}, {16, 2}, {{2, 9}}, {{0, 7}}, GroupSpan{1, 2}});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->range.work_dim, 2u);
  EXPECT_EQ(other->range.group_total(), 32u);
  EXPECT_EQ(other->scalars.front().value, 9);
  EXPECT_EQ(other->buffers.front().bytes, 7u);
}

TEST(Outlook, PredictsDevicesAndDividesBetweenThem) {
  std::vector<ProfileSample> samples;
  measure(samples, "a", 1e-5, 1e-6);
  measure(samples, "b", 2e-5, 3e-6);
  const Told answer = told(samples, {{1u << 20}, {}, {{2, 1 << 14}}, {{0, 1u << 22}}, {}});
  const auto groups = static_cast<double>(1u << 14);
  ASSERT_EQ(answer.outlook.devices.size(), 2u);
  EXPECT_NEAR(answer.outlook.devices[0].seconds / (1e-5 + 1e-6 * groups), 1.0, 0.02);
  EXPECT_NEAR(answer.outlook.devices[1].seconds / (2e-5 + 3e-6 * groups), 1.0, 0.02);
  ASSERT_TRUE(answer.outlook.paper.has_value());
  for (const PlanOutlook* plan : {&answer.outlook.automatic, &answer.outlook.linear, &*answer.outlook.paper}) {
    ASSERT_EQ(plan->groups.size(), 2u);
    EXPECT_EQ(sum(plan->groups), 1u << 14);
    EXPECT_NEAR(static_cast<double>(plan->groups[0]) / groups, 0.75, 0.01);
    EXPECT_NEAR(plan->seconds / (0.75 * groups * 1e-6), 1.0, 0.03);
  }
  EXPECT_EQ(answer.outlook.single.groups, (std::vector<std::uint64_t>{1u << 14, 0}));
  EXPECT_EQ(answer.outlook.single.seconds, answer.outlook.devices[0].seconds);
}

TEST(Outlook, AutoLeavesOutADeviceWhoseLaunchTakesTooLong) {
  std::vector<ProfileSample> samples;
  measure(samples, "a", 1e-6, 1e-6);
  measure(samples, "b", 1e-2, 1e-6);
  const Told answer = told(samples, {});
  EXPECT_EQ(answer.outlook.automatic.groups, (std::vector<std::uint64_t>{8192, 0}));
  EXPECT_GT(answer.outlook.linear.groups[1], 0u);
  EXPECT_GT(answer.outlook.linear.seconds, answer.outlook.automatic.seconds);
}

TEST(Outlook, SpansCountOnlyTheirGroups) {
  std::vector<ProfileSample> samples;
  measure(samples, "a", 1e-5, 1e-6);
  measure(samples, "b", 1e-5, 1e-6);
  const Told answer = told(samples, {{}, {}, {}, {}, GroupSpan{100, 1124}});
  EXPECT_NEAR(answer.outlook.devices[0].seconds / (1e-5 + 1e-6 * 1024), 1.0, 0.03);
  EXPECT_EQ(sum(answer.outlook.automatic.groups), 1024u);
  EXPECT_EQ(sum(answer.outlook.linear.groups), 1024u);
}

TEST(Outlook, BandsHoldBothEndsOfTheWork) {
  std::vector<ProfileSample> samples;
  measure(samples, "a", 1e-5, 1e-6);
  const KnownKernel known = known_kernel(samples);
  const auto launch = changed(*known.largest, {});
  const auto devices = fitted(known);
  const WorkEstimate sure{{64, 64, 64}, {}, ""}, unsure{{64, 32, 256}, {}, ""};
  const TimePrediction narrow = outlook(devices, *launch, sure).devices[0];
  const TimePrediction wide = outlook(devices, *launch, unsure).devices[0];
  EXPECT_EQ(narrow.seconds, wide.seconds);
  EXPECT_LT(wide.low, narrow.low * 0.6);
  EXPECT_GT(wide.high, narrow.high * 3);
}

// To the partitioner a device is a line; by its model so many groups take as long as one.
TEST(Outlook, AutoIsNeverLongerThanTheBestDeviceAlone) {
  std::mt19937_64 random(24);
  const auto between = [&](double least, double most) {
    return least * std::pow(most / least, std::uniform_real_distribution<>(0.0, 1.0)(random));
  };
  int split = 0, whole = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<DeviceTimes> devices;
    for (std::size_t d = 0; d < 1 + random() % 4; ++d) {
      TimeModel model;
      model.terms.push_back({{.shape = TermShape::floor}, between(1e-7, 1e-5)});
      model.terms.push_back({{.shape = TermShape::boxes}, between(1e-8, 1e-5)});
      model.terms.push_back({{.shape = TermShape::groups}, between(1e-10, 1e-8)});
      model.terms.push_back({{.shape = TermShape::waves, .b = between(1e3, 1e6)}, between(1e-6, 1e-3)});
      devices.push_back({{"platform", "device " + std::to_string(d), "1", 16}, model});
    }
    const ProfileSample launch = *changed(sample("device", 1u << 16, 64, 1e-3), {});
    const WorkEstimate work = estimate_work({}, launch);
    const Outlook result = outlook(devices, launch, work);
    double best = result.devices.front().seconds;
    for (const TimePrediction& device : result.devices) best = std::min(best, device.seconds);
    EXPECT_LE(result.automatic.seconds, best * (1 + 1e-9)) << "round " << round;
    EXPECT_EQ(sum(result.automatic.groups), launch.span.size());
    const auto taking_part = std::count_if(result.automatic.groups.begin(), result.automatic.groups.end(),
                                           [](std::uint64_t groups) { return groups > 0; });
    ++(taking_part > 1 ? split : whole);
  }
  EXPECT_GT(split, 20);
  EXPECT_GT(whole, 20);
}

TEST(Outlook, OfSixtyFourDevices) {
  std::vector<ProfileSample> samples;
  for (int d = 0; d < 64; ++d) measure(samples, "device " + std::to_string(d), 1e-5, 1e-6 * (1 + d % 7));
  const KnownKernel known = known_kernel(samples);
  const auto launch = changed(*known.largest, {{1u << 22}, {}, {}, {}, {}});
  const auto devices = fitted(known);
  const auto begin = std::chrono::steady_clock::now();
  const WorkEstimate work = estimate_work(known.samples, *launch);
  const Outlook answer = outlook(devices, *launch, work);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::printf("64 devices: %.3f ms\n", took.count());
  EXPECT_EQ(answer.devices.size(), 64u);
  EXPECT_EQ(sum(answer.automatic.groups), 1u << 16);
  EXPECT_LT(answer.automatic.seconds, answer.single.seconds / 10);
}

}  // namespace
}  // namespace skmd::domain
