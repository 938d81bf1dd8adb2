// SPDX-License-Identifier: Apache-2.0
// Invented machines, and the threads that suit them.
#include "cpu-driver/runtime/topology.h"

#include <gtest/gtest.h>

namespace skmd::cpu::test {
namespace {

using Places = std::vector<std::vector<unsigned>>;

/// `cores` cores with `siblings` hardware threads each, numbered as servers do: all first threads, then all second
/// ones. Each cache is shared by `of_cache` cores, each node's memory is near to `of_node`.
Topology machine(unsigned cores, unsigned siblings, unsigned of_cache, unsigned of_node) {
  Topology facts;
  for (unsigned id = 0; id < cores * siblings; ++id) {
    const unsigned core = id % cores;
    facts.usable.push_back({id, core, core / of_cache * of_cache, core / of_node});
  }
  return facts;
}

TEST(ThreadPlan, OneThreadForEachCore) {
  EXPECT_EQ(plan_threads(machine(1, 1, 1, 1), 0).threads, 1u);
  EXPECT_EQ(plan_threads(machine(6, 1, 6, 6), 0).threads, 6u);
  EXPECT_EQ(plan_threads(machine(6, 2, 6, 6), 0).threads, 6u);
}

TEST(ThreadPlan, SiblingsThatAreLeftOfACoreCountAsACore) {
  Topology facts = machine(4, 2, 4, 4);
  facts.usable = {facts.usable[1], facts.usable[5], facts.usable[6]};  // core 1 twice, one sibling of core 2
  facts.restricted = true;
  EXPECT_EQ(plan_threads(facts, 0).threads, 2u);
}

TEST(ThreadPlan, NoMoreThreadsThanTheQuotaFeeds) {
  Topology facts = machine(8, 1, 8, 8);
  for (const auto& [quota, threads] : {std::pair{0.25, 1u}, {1.0, 1u}, {1.5, 2u}, {4.0, 4u}, {64.0, 8u}, {1e30, 8u}}) {
    facts.quota = quota;
    EXPECT_EQ(plan_threads(facts, 0).threads, threads) << quota;
  }
}

TEST(ThreadPlan, TheUserDecides) {
  Topology facts = machine(8, 2, 8, 8);
  facts.quota = 2;
  for (const unsigned wanted : {1u, 5u, 16u, 40u}) EXPECT_EQ(plan_threads(facts, wanted).threads, wanted);
}

TEST(ThreadPlan, OneCacheNeedsNoPlaces) { EXPECT_EQ(plan_threads(machine(8, 2, 8, 8), 0).places, Places{}); }

TEST(ThreadPlan, ThreadsStayNearOneCache) {
  const ThreadPlan plan = plan_threads(machine(4, 2, 2, 4), 0);
  // The caller's thread stands for the first core.
  EXPECT_EQ(plan.places, (Places{{0, 1, 4, 5}, {2, 3, 6, 7}, {2, 3, 6, 7}}));
}

TEST(ThreadPlan, NodesDivideWhatTheSystemTakesForOneCache) {
  Topology facts = machine(4, 1, 2, 2);
  for (Processor& processor : facts.usable) processor.cache = 0;
  EXPECT_EQ(plan_threads(facts, 0).places, (Places{{0, 1}, {2, 3}, {2, 3}}));
}

TEST(ThreadPlan, NothingIsPinnedWhereOthersDecide) {
  Topology facts = machine(8, 1, 2, 4);
  EXPECT_EQ(plan_threads(facts, 8).places.size(), 7u);
  EXPECT_EQ(plan_threads(facts, 7).places, Places{}) << "a core is to be left free, whichever";
  EXPECT_EQ(plan_threads(facts, 9).places, Places{});
  facts.quota = 4;
  EXPECT_EQ(plan_threads(facts, 0).places, Places{});
  facts.quota = 0;
  facts.restricted = true;
  EXPECT_EQ(plan_threads(facts, 0).places, Places{});
}

}  // namespace
}  // namespace skmd::cpu::test
