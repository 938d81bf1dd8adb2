// SPDX-License-Identifier: Apache-2.0
#include "bench/start/judge.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

ProgramTimes taken(const char* program, Times ours, Times theirs) {
  return {program, "small", std::move(ours), std::move(theirs)};
}

StartRow row(Bars bars, std::vector<ProgramTimes> programs) { return {"warm", "text", bars, std::move(programs), ""}; }

TEST(Judge, TheMeanIsGeometricAndOfMedians) {
  EXPECT_DOUBLE_EQ(geometric_mean({taken("a", {2, 9, 1}, {1, 1, 1}), taken("b", {1}, {2})}), 1);
}

TEST(Judge, AMeanThatIsTooLargeMissesTheGoal) {
  const Bars bars{.mean = 0.8, .each = {}, .seconds = 0};
  EXPECT_EQ(is_met(row(bars, {taken("a", {0.8}, {1})})), true);
  EXPECT_EQ(is_met(row(bars, {taken("a", {0.81}, {1})})), false);
}

TEST(Judge, OneProgramThatIsTooSlowMissesTheGoal) {
  const Bars bars{.mean = 0.8, .each = 1, .seconds = 0.02};
  const ProgramTimes fast = taken("fast", {0.1}, {1}), near = taken("near", {0.119}, {0.1}),
                     slow = taken("slow", {0.121}, {0.1});
  EXPECT_EQ(is_met(row(bars, {fast, near})), true);
  EXPECT_EQ(is_met(row(bars, {fast, slow})), false);
  EXPECT_TRUE(keeps(near, bars));
  EXPECT_FALSE(keeps(slow, bars));
}

TEST(Judge, ProgramsWithoutTimesMissTheGoal) {
  const Bars bars{.mean = 2, .each = {}, .seconds = 0};
  StartRow failed = row(bars, {taken("a", {1}, {1})});
  failed.error = "b ended with 1";
  EXPECT_EQ(is_met(failed), false);
  EXPECT_EQ(is_met(row(bars, {})), false);
}

TEST(Judge, ARowWithoutABoundIsNeitherMetNorMissed) {
  EXPECT_EQ(is_met(row({}, {taken("a", {9}, {1})})), std::nullopt);
}

TEST(Judge, JsonHasGoalFigureAndEveryProgram) {
  const Bars bars{.mean = 0.8, .each = 1, .seconds = 0.02};
  const auto json = to_json(row(bars, {taken("a", {1, 3, 2}, {4, 4, 8})}));
  EXPECT_EQ(
      json.dump(),
      R"({"row":"warm","about":"text","goal":{"geometric_mean_at_most":0.8,"each_at_most":1.0,"plus_seconds":0.02},)"
      R"("figure":0.5,"met":true,"programs":[{"program":"a","size":"small","figure":0.5,"spread":[0.25,0.75],)"
      R"("seconds":2.0,"seconds_spread":[1.0,3.0],"base_seconds":4.0,"base_spread":[4.0,8.0],"turns":3,"met":true}]})");
}

TEST(Judge, JsonOfAFailureHasNoFigureAndTheReason) {
  StartRow failed = row({.mean = 1, .each = {}, .seconds = 0}, {});
  failed.error = "a ended with 1";
  const auto json = to_json(failed);
  EXPECT_TRUE(json["figure"].is_null());
  EXPECT_EQ(json["met"], false);
  EXPECT_EQ(json["error"], "a ended with 1");
}

TEST(Judge, TextForPeopleSaysWhatWasMissed) {
  const std::string text = to_text(row({.mean = 0.8, .each = 1, .seconds = 0.02}, {taken("a", {2}, {1})}));
  EXPECT_NE(text.find("MISSED"), std::string::npos) << text;
  EXPECT_NE(text.find("geometric mean 2.000"), std::string::npos) << text;
}

}  // namespace
}  // namespace bench
