// SPDX-License-Identifier: Apache-2.0
// What SKMD_PARTITION may say.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "partitioner/plan/partition.h"

namespace skmd::domain {
namespace {

TEST(ParsePolicy, TakesTheModes) {
  EXPECT_EQ(parse_policy("auto", 2)->mode, PartitionMode::automatic);
  EXPECT_EQ(parse_policy("equal", 2)->mode, PartitionMode::equal);
  EXPECT_EQ(parse_policy("linear", 2)->mode, PartitionMode::linear);
  EXPECT_EQ(parse_policy("paper", 2)->mode, PartitionMode::paper);
  EXPECT_EQ(parse_policy("dynamic", 2)->mode, PartitionMode::dynamic);
  EXPECT_EQ(parse_policy("dynamic", 2)->minimum, 0u);
  EXPECT_EQ(parse_policy("dynamic:96", 2)->minimum, 96u);
  EXPECT_EQ(parse_policy("single", 2)->single_index, -1);
  EXPECT_EQ(parse_policy("single:1", 2)->single_index, 1);
  EXPECT_EQ(parse_policy("single:1", 2)->mode, PartitionMode::single);
  const auto fixed = parse_policy("fixed:30,70", 2);
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(fixed->mode, PartitionMode::fixed);
  EXPECT_EQ(fixed->percent, std::vector<double>({30, 70}));
  EXPECT_TRUE(parse_policy("fixed:33.333,33.333,33.333", 3).ok());
}

TEST(ParsePolicy, RefusesEverythingElseAndNamesTheValue) {
  for (const char* text : {"",
                           "Auto",
                           "auto ",
                           "equal,",
                           "paper:",
                           "dynamic:",
                           "dynamic:0",
                           "dynamic:-1",
                           "dynamic:1.5",
                           "single:",
                           "single:2",
                           "single:-1",
                           "single:1x",
                           "fixed",
                           "fixed:",
                           "fixed:100",
                           "fixed:50,49",
                           "fixed:50,50,0",
                           "fixed:nan,100",
                           "fixed:-1,101",
                           "fixed:50;50",
                           "fixed:50,50,",
                           "fixed:inf,0",
                           "fixed:5e1,5e1x"}) {
    const auto policy = parse_policy(text, 2);
    ASSERT_FALSE(policy.ok()) << text;
    EXPECT_NE(policy.error().reason.find(std::string("SKMD_PARTITION=") + text), std::string::npos);
  }
  EXPECT_NE(parse_policy("guided", 2).error().reason.find("modes are auto, equal"), std::string::npos);
}

}  // namespace
}  // namespace skmd::domain
