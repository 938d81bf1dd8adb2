// SPDX-License-Identifier: Apache-2.0
// The paper's decision tree against every partition there is.
#include "partitioner/plan/decision_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/partitioner/planned_machine.h"

namespace skmd::domain {
namespace {

using test::device;
using test::expect_tiles;
using test::groups_of;
using test::slices;

struct PaperMachine : test::PlannedMachine {
  PaperCosts costs;
  PaperMachine(std::vector<DeviceModel> models, std::uint64_t groups, PaperCosts all)
      : PlannedMachine(std::move(models), groups, PartitionMode::paper), costs(std::move(all)) {
    costs.external.resize(devices.size());
    request.paper = &costs;
  }
};

PaperCosts in_host_memory() { return {true, 0, 0, 0.0, {}}; }

/// What section 3.4 counts, written once more: inputs in the order of devices, then results as they get ready.
double reference(const PaperMachine& machine, const std::vector<std::uint64_t>& parts) {
  const PaperCosts& costs = machine.costs;
  const auto total = static_cast<double>(machine.request.groups);
  std::vector<std::pair<double, double>> results;  // ready, seconds of the transfer
  double link = 0.0, end = 0.0;
  for (std::size_t d = 0; d < parts.size(); ++d) {
    if (parts[d] == 0) continue;
    const DeviceModel& model = machine.devices[d];
    const double share = costs.contiguous ? static_cast<double>(parts[d]) / total : 1.0;
    const double running = model.launch_seconds + static_cast<double>(parts[d]) / model.groups_per_second;
    if (!costs.external[d]) {
      end = std::max(end, running);
      continue;
    }
    link += share * static_cast<double>(costs.bytes_in) / model.bytes_to_per_second;
    results.emplace_back(link + running, share * static_cast<double>(costs.bytes_out) / model.bytes_from_per_second);
  }
  std::sort(results.begin(), results.end());
  for (const auto& [ready, seconds] : results) end = std::max(end, link = std::max(link, ready) + seconds);
  const auto busy = std::count_if(parts.begin(), parts.end(), [](std::uint64_t part) { return part > 0; });
  return end + (busy > 1 && !costs.contiguous ? costs.join_seconds : 0.0);
}

double exact(const PaperMachine& machine) {
  const std::uint64_t groups = machine.request.groups;
  double best = INFINITY;
  for (std::uint64_t a = 0; a <= groups; ++a)
    for (std::uint64_t b = 0; a + b <= groups; ++b) best = std::min(best, reference(machine, {a, b, groups - a - b}));
  return best;
}

std::vector<std::uint64_t> parts_of(const Plan& plan, std::size_t devices) {
  std::vector<std::uint64_t> parts(devices);
  for (const Slice& slice : plan.slices) parts[slice.device] += slice.span.size();
  return parts;
}

PaperMachine random_machine(std::mt19937_64& random, std::uint64_t groups) {
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  std::vector<DeviceModel> models;
  for (int d = 0; d < 3; ++d) {
    models.push_back(device(between(1e4, 1e6)));
    models.back().launch_seconds = between(1e-6, 1e-4);
    models.back().bytes_to_per_second = models.back().bytes_from_per_second = between(2e9, 2e10);
  }
  PaperCosts costs{random() % 2 == 0,
                   static_cast<std::uint64_t>(between(1e4, 1e8)),
                   static_cast<std::uint64_t>(between(1e4, 1e8)),
                   between(1e-6, 1e-3),
                   {false, true, true}};
  return {std::move(models), groups, std::move(costs)};
}

TEST(DecisionTree, GivesEachDeviceWhatItCanDo) {
  PaperMachine m({device(300e3), device(100e3)}, 4000, in_host_memory());
  const Plan plan = m.plan();
  expect_tiles(plan, 4000);
  EXPECT_NEAR(static_cast<double>(groups_of(plan, 0)), 3000, 10);
  EXPECT_NEAR(plan.predicted_seconds, 0.01001, 2e-5);
}

TEST(DecisionTree, BeginsOnTheDeviceThatEndsFirstTransfersIncluded) {
  // The second is ten times as fast, but its bytes take longer than the first device's work.
  PaperMachine m({device(1e5), device(1e6)}, 1000, {false, 1 << 30, 0, 1.0, {false, true}});
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 1000}}}));
}

TEST(DecisionTree, DoesNotSplitWhereMergingCostsMoreThanIsGained) {
  PaperMachine m({device(1e5), device(1e5)}, 1000, {false, 0, 1000, 0.1, {}});
  EXPECT_EQ(m.plan().slices.size(), 1u);
  m.costs.join_seconds = 1e-4;
  EXPECT_EQ(m.plan().slices.size(), 2u);
}

TEST(DecisionTree, LooksPastASmallSlowDownOfTheFirstGroups) {
  // One granule saves the base device less than the other's launch costs; many granules pay.
  PaperMachine m({device(1e6), device(1e6)}, 100'000, in_host_memory());
  m.devices[1].launch_seconds = 0.04;
  const Plan plan = m.plan();
  EXPECT_NEAR(static_cast<double>(groups_of(plan, 1)), 30'000, 1000);
}

TEST(DecisionTree, IsEqualUntilEveryDeviceWasMeasured) {
  PaperMachine m({device(300), device(0)}, 100, in_host_memory());
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 50}}, {1, {50, 100}}}));
  EXPECT_EQ(m.plan().predicted_seconds, 0.0);
}

TEST(DecisionTree, SerialisesTransfersOverOneLink) {
  // Two equal devices behind one link that is the bottleneck: the second adds nothing worth its launch.
  PaperMachine m({device(1e9), device(1e9)}, 4096, {true, 100'000'000, 0, 0.0, {true, true}});
  m.devices[1].launch_seconds = 1e-3;
  EXPECT_EQ(m.plan().slices.size(), 1u);
}

TEST(DecisionTree, PlansAreEstimatedAsTheTextSaysAndEndNearTheOptimum) {
  std::mt19937_64 random(20150801);
  std::vector<double> ratios;
  for (int round = 0; round < 60; ++round) {
    const PaperMachine m = random_machine(random, 120);
    const Plan plan = m.plan();
    expect_tiles(plan, 120);
    const double seconds = reference(m, parts_of(plan, 3));
    ASSERT_NEAR(plan.predicted_seconds, seconds, 1e-9 * seconds);
    ratios.push_back(seconds / exact(m));
  }
  std::sort(ratios.begin(), ratios.end());
  EXPECT_GE(ratios.front(), 1.0 - 1e-9);
  EXPECT_LE(ratios[30], 1.01);
  EXPECT_LE(ratios[54], 1.05);
  EXPECT_LE(ratios.back(), 1.3);
}

TEST(DecisionTree, EndsForAnyNumbers) {
  std::mt19937_64 random(7);
  for (const std::uint64_t groups :
       {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{2049}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const PaperMachine m = random_machine(random, groups);
    expect_tiles(m.plan(), groups);
  }
}

TEST(DecisionTree, LeavesOutDevicesThatAreNotEligible) {
  PaperMachine m({device(1e5), device(1e6), device(1e5)}, 1000, in_host_memory());
  m.devices[1].eligible = false;
  EXPECT_EQ(groups_of(m.plan(), 1), 0u);
  EXPECT_GT(groups_of(m.plan(), 2), 400u);
}

}  // namespace
}  // namespace skmd::domain
