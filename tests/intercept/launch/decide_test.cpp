// SPDX-License-Identifier: Apache-2.0
// Decisions by inputs that are made by hand: no machine, no device, no kernel.
#include "intercept/launch/decide.h"

#include <gtest/gtest.h>

#include "intercept/launch/decision_basis.h"
#include "partitioner/traits/traits.h"

namespace skmd::icd::test {
namespace {

using domain::NotSplit;
using domain::PartitionMode;

constexpr std::uint64_t kGroups = 64;

/// A launch of kGroups groups on devices that have the rates, groups per second, that they are given; 0: not measured.
class World : public DecisionInputs, public DecisionLog {
 public:
  explicit World(const std::vector<double>& rates) : models(rates.size()) {
    eligible.eligible.assign(rates.size(), true);
    for (std::size_t d = 0; d < rates.size(); ++d) {
      models[d].measured = rates[d] > 0;
      models[d].groups_per_second = rates[d];
      models[d].source = domain::ModelSource::process;
    }
    partition.groups = kGroups;
    partition.devices = models;
    partition.split_seconds = 40e-6;
  }

  std::shared_ptr<const Decision> decided(const FormerDecision& former = {}) {
    partition.policy = policy;
    return decide({policy, eligible, confined, kGroups, 0, kernel_facts, false}, former, *this, *this);
  }

  domain::PartitionPolicy policy;
  Eligibility eligible;
  std::optional<NotSplit> confined;
  std::uint32_t kernel_facts = 0;
  std::vector<domain::DeviceModel> models;
  domain::PartitionRequest partition;
  domain::MergeDecision merge;
  std::uint32_t lives_on = 0;
  std::uint32_t gpu = ~0u;
  bool first_is_affordable = false;
  std::vector<std::uint64_t> missing = std::vector<std::uint64_t>(models.size());
  std::vector<FarLink> links = std::vector<FarLink>(models.size());
  // What was asked and told.
  int asked_for_rates = 0, dealt = 0, plans = 0;
  std::optional<std::uint32_t> spins_on;

  std::uint32_t home() override { return lives_on; }
  bool is_gpu(std::uint32_t device) override { return device == gpu; }
  double groups_per_second(std::uint32_t device) override { return models[device].groups_per_second; }
  std::uint64_t missing_bytes(std::uint32_t device) override { return missing[device]; }
  FarLink far_link(std::uint32_t device) override { return links[device]; }
  std::uint32_t read_rhythm() override { return 1; }
  std::optional<std::uint32_t> behind() override { return partition.behind; }
  domain::PartitionRequest& request() override {
    ++asked_for_rates;
    return partition;
  }
  bool affords_first(double, double) override { return first_is_affordable; }
  SharedFootprint footprint(const domain::GroupSpan&) override { return std::make_shared<SpanFootprint>(); }
  domain::MergeDecision how_to_merge(const std::vector<SliceWork>&) override { return merge; }
  std::shared_ptr<const Dealing> deal(const Decision&) override {
    ++dealt;
    return nullptr;
  }
  void waits_for_groups(std::uint32_t device) override { spins_on = device; }
  void begins_to_plan() override { ++plans; }
  void planned(const domain::PartitionRequest& request, const domain::Plan& plan) override {
    EXPECT_EQ(request.previous, nullptr) << "it lives as long as the question";
    EXPECT_FALSE(plan.slices.empty());
  }
};

std::vector<std::uint64_t> groups_of(const Decision& decision) {
  std::vector<std::uint64_t> groups;
  for (const SliceWork& slice : decision.slices) groups.push_back(slice.span.size());
  return groups;
}

TEST(Decide, EqualDevicesGetHalvesEach) {
  World w({1000, 1000});
  const auto decision = w.decided();
  EXPECT_EQ(groups_of(*decision), (std::vector<std::uint64_t>{kGroups / 2, kGroups / 2}));
  EXPECT_EQ(decision->whole, std::nullopt);
  EXPECT_NEAR(decision->slices[0].predicted_seconds, 0.032, 1e-6);
  EXPECT_NEAR(decision->alone_seconds, 0.064, 1e-3);
  EXPECT_EQ(decision->candidates.size(), 2u);
  EXPECT_EQ(decision->alone_bounds.size(), 2u);
  EXPECT_TRUE(decision->movable);
  EXPECT_EQ(w.plans, 1);
  EXPECT_EQ(w.dealt, 1);
}

TEST(Decide, WhatCannotBeMergedRunsOnTheFastestDevice) {
  World w({1000, 1900});
  w.merge.refused = NotSplit::unmergeable;
  const auto decision = w.decided();
  ASSERT_EQ(decision->slices.size(), 1u);
  EXPECT_EQ(decision->slices.front().device, 1u);
  EXPECT_EQ(decision->whole, NotSplit::unmergeable);
  EXPECT_NEAR(decision->predicted_seconds, kGroups / 1900.0, 1e-6);
  EXPECT_EQ(w.dealt, 0);
}

TEST(Decide, ASplitThatIsAboutAsGoodIsKept) {
  World w({1000, 1000});
  const auto before = std::make_shared<Decision>();
  before->slices = {{0, {0, 31}, nullptr}, {1, {31, kGroups}, nullptr}};
  before->predicted_seconds = 0.033;
  EXPECT_EQ(groups_of(*w.decided({before, 0})), (std::vector<std::uint64_t>{31, 33}));
  before->slices = {{0, {0, 24}, nullptr}, {1, {24, kGroups}, nullptr}};
  EXPECT_EQ(groups_of(*w.decided({before, 0})), (std::vector<std::uint64_t>{32, 32}));
}

TEST(Decide, GroupsThatWaitForEachOtherRunOnAGpu) {
  World w({1000, 10});
  w.confined = NotSplit::spinning;
  w.kernel_facts = domain::kFactSpinning;
  EXPECT_EQ(w.decided()->slices.front().device, 0u) << "the anchor, where there is none";
  w.gpu = 1;
  const auto decision = w.decided();
  EXPECT_EQ(decision->slices.front().device, 1u);
  EXPECT_EQ(w.spins_on, 1u) << "the user is told";
  EXPECT_FALSE(decision->movable);
  w.eligible.eligible[1] = false;
  EXPECT_EQ(w.decided()->slices.front().device, 0u);
}

TEST(Decide, ProgramScopeVariablesStayAtHome) {
  World w({1000, 10});
  w.confined = NotSplit::spinning;
  w.kernel_facts = domain::kFactMutableProgramScope;
  w.lives_on = 1;
  const auto decision = w.decided();
  EXPECT_EQ(decision->slices.front().device, 1u) << "though it is slow";
  EXPECT_FALSE(decision->movable);
}

TEST(Decide, SingleAsksForNoRate) {
  World w({1000, 1000, 1000});
  w.policy.mode = PartitionMode::single;
  w.policy.single_index = 2;
  w.confined = NotSplit::mode_single;
  EXPECT_EQ(w.decided()->slices.front().device, 2u);
  w.eligible.eligible[2] = false;
  EXPECT_EQ(w.decided()->slices.front().device, 0u);
  EXPECT_EQ(w.asked_for_rates, 0);
  EXPECT_EQ(w.plans, 0);
}

TEST(Decide, AFirstLaunchOfAKnownKernelIsPlannedIfThatIsAffordable) {
  for (const bool affordable : {false, true}) {
    World w({1000, 1000});
    for (auto& model : w.models) {
      model.source = domain::ModelSource::database;
      model.relative_error = 0.1;
    }
    w.partition.may_search = false;
    w.first_is_affordable = affordable;
    EXPECT_EQ(w.decided()->slices.size(), affordable ? 2u : 1u);
  }
}

TEST(DecisionBasis, SmallChangesOfRatesAreNoise) {
  World w({1000, 1000});
  DecisionBasis then = basis_of(w.eligible, false, w);
  EXPECT_FALSE(stands(then, then)) << "something was to be found out";
  then.known = true;
  w.models[1].groups_per_second = 1040;
  EXPECT_TRUE(stands(then, basis_of(w.eligible, false, w)));
  w.models[1].groups_per_second = 1060;
  EXPECT_FALSE(stands(then, basis_of(w.eligible, false, w)));
  w.eligible.eligible[1] = false;
  EXPECT_FALSE(stands(then, basis_of(w.eligible, false, w))) << "it has no rate now";
}

TEST(DecisionBasis, ALinkThatIsMeasuredIsDecidedOnAnew) {
  World w({1000, 1000});
  const FarLink assumed{100e-6, 1e9, 1e9};
  w.links[1] = assumed;
  DecisionBasis then = basis_of(w.eligible, false, w);
  then.known = true;
  w.links[1] = {110e-6, 0.8e9, 1.2e9};
  EXPECT_TRUE(stands(then, basis_of(w.eligible, false, w))) << "noise";
  for (const FarLink& measured :
       {FarLink{300e-6, 1e9, 1e9}, FarLink{25e-6, 1e9, 1e9}, FarLink{100e-6, 0.5e9, 1e9}, FarLink{100e-6, 1e9, 2e9}}) {
    w.links[1] = measured;
    EXPECT_FALSE(stands(then, basis_of(w.eligible, false, w)))
        << measured.round_trip << ' ' << measured.to << ' ' << measured.from;
  }
}

TEST(DecisionBasis, BytesAndBarsCountExactly) {
  World w({1000, 1000});
  DecisionBasis then = basis_of(w.eligible, false, w);
  then.known = true;
  EXPECT_FALSE(stands(then, basis_of(w.eligible, true, w)));
  w.missing[0] = 1;
  EXPECT_FALSE(stands(then, basis_of(w.eligible, false, w)));
}

TEST(DecisionBasis, LookingHasAPriceOnlyWhereSomethingIsPredicted) {
  Decision decision;
  DecisionBasis basis;
  EXPECT_EQ(price_of_looking(decision, basis, false, {}, 1e-6), std::nullopt);
  decision.predicted_seconds = 1e-3;
  const auto unsettled = price_of_looking(decision, basis, false, {}, 1e-6);
  basis.known = true;
  const auto settled = price_of_looking(decision, basis, false, {}, 1e-6);
  ASSERT_TRUE(unsettled && settled);
  EXPECT_EQ(*settled, 1e-6);
  EXPECT_GT(*unsettled, *settled) << "the partitioner will be asked";
  EXPECT_EQ(price_of_looking(decision, basis, true, {}, 1e-6), std::nullopt) << "splits became barred";
  decision.exploring = true;
  EXPECT_EQ(price_of_looking(decision, basis, false, {}, 1e-6), std::nullopt);
}

TEST(DecisionBasis, ALaunchThatWouldWaitForAnotherDeviceIsLookedAtInAnyCase) {
  World w({1000, 1000});
  Decision decision;
  decision.predicted_seconds = 1e-3;
  decision.whole = NotSplit::small_launch;
  decision.slices.resize(1);
  DecisionBasis basis = basis_of(w.eligible, false, w);
  basis.known = true;
  EXPECT_TRUE(price_of_looking(decision, basis, false, 0, 1e-6)) << "it follows one of its own device";
  EXPECT_EQ(price_of_looking(decision, basis, false, 1, 1e-6), std::nullopt);
  w.partition.behind = 1;
  EXPECT_FALSE(stands(basis, basis_of(w.eligible, false, w)));
  basis.behind = 1;
  basis.behind_before = 2;
  EXPECT_TRUE(price_of_looking(decision, basis, false, 1, 1e-6)) << "that was counted";
  EXPECT_TRUE(stands(basis, basis_of(w.eligible, false, w)));
  w.partition.behind.reset();
  EXPECT_FALSE(stands(basis, basis_of(w.eligible, false, w))) << "another device may be better again";
}

}  // namespace
}  // namespace skmd::icd::test
