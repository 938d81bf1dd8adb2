// SPDX-License-Identifier: Apache-2.0
// `auto` over the devices of several hosts: what links cost is in plans, and 64 hosts of 8 devices are planned well and
// with few questions.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "partitioner/plan/prediction.h"
#include "partitioner/plan/split_search.h"
#include "tests/partitioner/far_machine.h"
#include "tests/seed.h"

namespace skmd::domain {
namespace {

using test::Chance;
using test::EveryCount;
using test::FarLink;
using test::FarMachine;
using test::groups_of;

constexpr double kOff = 1.02;  // plans may be so much longer than the best one
/// But for few, of one in a hundred: exchanging groups ends where only three devices at once would gain. Of 9000
/// machines ten were above kOff, the worst 1.22.
constexpr double kOffRarely = 1.3;
constexpr double kTold = 1e-3;  // part that a prediction is off its own plan, by bytes that are rounded
constexpr FarLink kFast{.to = 12.5e9, .from = 12.5e9, .latency = 20e-6};
constexpr FarLink kSlow{.to = 0.125e9, .from = 0.125e9, .latency = 20e-6};

std::uint64_t first_seed(std::uint64_t number) { return 1'000'000 * (7 + number + 16 * skmd::test::seed_offset()); }

std::uint64_t groups_far(const Plan& plan) {
  std::uint64_t sum = 0;
  for (const Slice& slice : plan.slices) sum += slice.device == 0 ? 0 : slice.span.size();
  return sum;
}

std::size_t far_slices(const Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.slices.begin(), plan.slices.end(), [](const Slice& slice) { return slice.device != 0; }));
}

/// A launch of a second here, and one host with as fast devices.
FarMachine one_host(const FarLink& link, std::size_t devices = 2) {
  FarMachine m(1000, 1000.0);
  m.add_host(link, std::vector<double>(devices, 1000.0));
  return m;
}

TEST(FarPlan, FewDevicesAndFewGroupsAgainstEveryPlan) {
  int planned = 0, split = 0, off = 0;
  for (std::uint64_t seed = first_seed(0), end = seed + 400; seed < end; ++seed) {
    Chance chance(~seed);
    const std::uint64_t hosts = 1 + chance.below(2), each = 1 + chance.below(hosts == 1 ? 4 : 2);
    const FarMachine m(seed, hosts, each, 2 + chance.below(19));
    const Plan plan = partition(m.request());
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, m.groups)) << m;
    if (plan.reason == NotSplit::small_launch && plan.slices.size() == 1) continue;
    split += plan.slices.size() > 1 ? 1 : 0;
    EXPECT_NEAR(plan.predicted_seconds, m.seconds(m.counts(plan)), kTold * plan.predicted_seconds) << m;
    const double best = EveryCount(m).seconds();
    EXPECT_LE(plan.predicted_seconds, kOffRarely * best) << m;
    ++planned;
    off += plan.predicted_seconds > kOff * best ? 1 : 0;
  }
  EXPECT_GT(split, 200);
  EXPECT_LE(off, planned / 100) << "seeds from " << first_seed(0);
}

TEST(FarPlan, WhatASmallSliceMovesSaysNothingOfRunning) {
  FarMachine m(1000, 1e3);
  m.add_host(kFast, std::vector<double>(7, 0.5e3));
  m.bytes = {.to_fixed = 1e6, .to_each = 1e3};
  for (std::size_t d = 1; d < m.devices.size(); ++d) m.devices[d].units = 200;  // more than an equal part has groups
  const PartitionRequest request = m.request();
  const CompletionCurves lines = measured_lines(request, Arriving::now);
  ASSERT_EQ(lines.size(), 8u);
  const CompletionCurve& far = lines[1];
  EXPECT_NEAR(far.fixed, m.devices[1].launch_seconds, 1e-9);
  EXPECT_NEAR(far.per_group, 1 / 0.5e3, 1e-9);
  EXPECT_NEAR(far.arriving.fixed, kFast.latency + 1e6 / kFast.to, 1e-6) << "what every slice needs is known";
}

/// The least seconds, with parts of groups, where all that moves is waited for by the launch: bisection over the end,
/// and on each link as many of its fastest devices as run most until then.
double least_seconds(const FarMachine& m) {
  const auto of_host = [&](std::size_t h, double end) {
    std::vector<double> rates;
    for (std::size_t d = 1 + h * m.each; d < 1 + (h + 1) * m.each; ++d) rates.push_back(m.devices[d].groups_per_second);
    std::sort(rates.begin(), rates.end(), std::greater<>());
    const FarLink& link = m.links[h];
    const double each = m.bytes.to_each / link.to;
    const double launch = m.devices[1 + h * m.each].launch_seconds;
    const double latency = m.bytes.to_each + m.bytes.to_fixed > 0 ? link.latency : 0.0;
    double most = 0, rate = 0;
    for (std::size_t k = 0; k < rates.size(); ++k) {
      rate += rates[k];
      const double left = end - launch - latency - static_cast<double>(k + 1) * m.bytes.to_fixed / link.to;
      most = std::max(most, left * rate / (1.0 + each * rate));
    }
    return most;
  };
  double low = 0, high = static_cast<double>(m.groups) / m.devices[0].groups_per_second + 1.0;
  for (int i = 0; i < 60; ++i) {
    const double end = (low + high) / 2;
    double groups = std::max(0.0, (end - m.devices[0].launch_seconds) * m.devices[0].groups_per_second);
    for (std::size_t h = 0; h < m.links.size(); ++h) groups += of_host(h, end);
    (groups >= static_cast<double>(m.groups) ? high : low) = end;
  }
  return high;
}

TEST(FarPlan, SixtyFourHostsOfEightDevices) {
  std::size_t questions = 0;
  for (std::uint64_t seed = first_seed(1), end = seed + 30; seed < end; ++seed) {
    Chance chance(~seed);
    FarMachine m(seed, 64, 8, static_cast<std::uint64_t>(chance.order_between(1e5, 1e7)));
    const bool within = chance.one_in(2);
    if (within) m.bytes.written = false;
    if (within) m.bytes.from_each = 0;
    PartitionRequest request = m.request();
    questions = 0;
    request.bytes_to = [&m, &questions](std::uint32_t d, const GroupSpan& span) {
      ++questions;
      return Moving(m.to(d, span.size()));
    };
    const Plan plan = partition(request);
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, m.groups)) << m;
    EXPECT_LE(questions, 8 * m.devices.size()) << m;
    EXPECT_NEAR(plan.predicted_seconds, m.seconds(m.counts(plan)), kTold * plan.predicted_seconds) << m;
    if (!within) continue;
    EXPECT_LE(plan.predicted_seconds, kOff * (least_seconds(m) + m.split_seconds)) << m;
  }
}

// Thousands of groups for 512 devices that are not measured: few are tried at once, and planning asks little.
TEST(FarPlan, UnknownDevicesOfManyHosts) {
  FarMachine m(first_seed(2), 64, 8, 100'000);
  m.bytes = {.to_fixed = 0, .to_each = 10, .from_each = 0, .written = false};
  for (std::size_t d = 1; d < m.devices.size(); ++d) m.devices[d].measured = false;
  PartitionRequest request = m.request();
  request.experience.seconds = 100.0;
  std::size_t questions = 0;
  request.bytes_to = [&](std::uint32_t d, const GroupSpan& span) {
    ++questions;
    return Moving(m.to(d, span.size()));
  };
  const Plan plan = partition(request);
  EXPECT_TRUE(plan.exploring);
  EXPECT_TRUE(plan.unsettled);
  EXPECT_LE(plan.slices.size(), 9u);
  EXPECT_LE(questions, 8 * m.devices.size());
}

TEST(FarPlan, ALaunchShorterThanARoundTripStaysHere) {
  FarLink link = kFast;
  link.latency = 1e-3;
  FarMachine m(1000, 1e6);  // a millisecond here
  m.add_host(link, {1e9, 1e9});
  const Plan small = partition(m.request());
  EXPECT_EQ(small.reason, NotSplit::small_launch);
  ASSERT_EQ(small.slices.size(), 1u);
  EXPECT_EQ(small.slices.front().device, 0u);
  // Two devices here share it, though far ones are faster.
  FarMachine two(1000, 1e6);
  two.add_host({.to = 1e12, .from = 1e12, .latency = 0.0}, {1e6});  // as good as here
  two.add_host(link, {1e9});
  const Plan here = partition(two.request());
  EXPECT_EQ(groups_of(here, 0) + groups_of(here, 1), 1000u);
  EXPECT_GT(groups_of(here, 1), 0u);
  EXPECT_EQ(groups_of(here, 2), 0u);
}

TEST(FarPlan, ALongerRoundTripLeavesMoreGroupsHere) {
  std::uint64_t last = 1000;
  for (const double latency : {20e-6, 20e-3, 200e-3}) {
    FarLink link = kFast;
    link.latency = latency;
    FarMachine m = one_host(link);
    m.bytes.to_each = 1e3;
    const std::uint64_t far = groups_far(partition(m.request()));
    EXPECT_LT(far, last) << latency;
    last = far;
  }
}

TEST(FarPlan, EachWayHasItsRate) {
  FarMachine m = one_host(kFast);
  m.bytes.to_each = 3e5;
  m.bytes.from_each = 3e5;
  const std::uint64_t fast = groups_far(partition(m.request()));
  FarMachine to = one_host({.to = kSlow.to, .from = kFast.from, .latency = kFast.latency});
  to.bytes = m.bytes;
  FarMachine from = one_host({.to = kFast.to, .from = kSlow.from, .latency = kFast.latency});
  from.bytes = m.bytes;
  EXPECT_LT(groups_far(partition(to.request())), fast * 9 / 10);
  EXPECT_LT(groups_far(partition(from.request())), fast * 9 / 10);
}

TEST(FarPlan, DevicesOfAHostShareItsLink) {
  FarMachine m = one_host(kSlow, 4);
  m.bytes.to_each = 1e5;  // 0.8 ms a group on the link, 1 ms on a device
  const Plan shared = partition(m.request());
  EXPECT_NEAR(shared.predicted_seconds, m.seconds(m.counts(shared)), kTold * shared.predicted_seconds);
  for (DeviceModel& model : m.devices) model.shared_link = 0;
  const Plan apart = partition(m.request());
  EXPECT_LT(apart.predicted_seconds, 0.8 * shared.predicted_seconds);
  EXPECT_LT(groups_far(shared) * 5, groups_far(apart) * 4);
}

TEST(FarPlan, WhatEveryDeviceNeedsKeepsSomeOfAHostIdle) {
  FarMachine m = one_host(kFast, 8);
  m.bytes.to_fixed = 1e6;
  EXPECT_EQ(far_slices(partition(m.request())), 8u);
  FarMachine slow = one_host(kSlow, 8);
  slow.bytes.to_fixed = 15e6;  // 0.12 s for each device
  for (const bool written : {false, true}) {
    slow.bytes.written = written;
    const Plan plan = partition(slow.request());
    EXPECT_GE(far_slices(plan), 1u) << written;
    EXPECT_LE(far_slices(plan), 4u) << written;
    for (std::uint64_t k = 1; k <= 8; ++k) {  // so many devices
      for (std::uint64_t here = 1; here < 1000; ++here) {
        std::vector<std::uint64_t> counts(9);
        counts[0] = here;
        for (std::uint64_t d = 0; d < k; ++d) counts[1 + d] = (1000 - here) * (d + 1) / k - (1000 - here) * d / k;
        ASSERT_LE(plan.predicted_seconds, kOff * slow.seconds(counts)) << k << " devices, " << here << " groups here";
      }
    }
  }
}

/// A host's first device may be measured; the next one is not. The application writes the launch's inputs anew each
/// time: bytes that stay on a device move once, which later launches pay for.
Plan explored(FarMachine m, bool first_is_known) {
  m.bytes.written = true;
  m.devices[1].measured = first_is_known;
  m.devices[2].measured = false;
  PartitionRequest request = m.request();
  request.experience.seconds = 100.0;
  return partition(request);
}

TEST(FarPlan, AFarDeviceIsNotTriedWhereItsBytesCostMoreThanItCouldWin) {
  FarMachine cheap = one_host(kFast);
  cheap.bytes.to_each = 1e3;
  EXPECT_TRUE(explored(cheap, false).exploring);
  FarMachine dear = one_host(kSlow);
  dear.bytes.to_each = 5e6;  // 40 ms a group, 1 ms here
  const Plan plan = explored(dear, false);
  EXPECT_FALSE(plan.exploring);
  EXPECT_FALSE(plan.unsettled);
  EXPECT_EQ(groups_of(plan, 0), 1000u);
}

TEST(FarPlan, ADeviceBehindABusyLinkIsNotTried) {
  FarMachine m = one_host(kSlow);
  m.bytes.to_each = 6.25e4;  // 0.5 ms a group on the link: a fast device there waits for it
  m.devices[1].groups_per_second = 1e5;
  EXPECT_FALSE(explored(m, true).exploring);
  for (DeviceModel& model : m.devices) model.shared_link = 0;
  EXPECT_TRUE(explored(m, true).exploring) << "by a link of its own it would win";
}

}  // namespace
}  // namespace skmd::domain
