// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/profile_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace skmd::domain {
namespace {

std::vector<std::uint64_t> lengths(const std::vector<GroupSpan>& spans) {
  std::vector<std::uint64_t> result;
  for (const GroupSpan& span : spans) result.push_back(span.size());
  return result;
}

TEST(ProfileSpans, ThePapersAreFourShortOnesAndAGeometricRow) {
  EXPECT_EQ(
      lengths(profile_spans({}, 65536, 1)),
      (std::vector<std::uint64_t>{65536, 32768, 16384, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 12, 8, 4}));
  EXPECT_EQ(profile_spans({}, 1000, 1).size(), 16u);
  EXPECT_EQ(lengths(profile_spans({}, 16, 1)), (std::vector<std::uint64_t>{16, 12, 8, 4}));
  EXPECT_EQ(lengths(profile_spans({}, 5, 1)), (std::vector<std::uint64_t>{5, 4}));
  EXPECT_EQ(lengths(profile_spans({}, 1, 1)), (std::vector<std::uint64_t>{1}));
}

TEST(ProfileSpans, LieInTheLaunchWhateverItsSize) {
  for (const std::uint64_t groups : {1ull, 2ull, 17ull, 4095ull, 1ull << 40, ~0ull})
    for (const SpanPlan plan : {SpanPlan{}, SpanPlan{100}}) {
      std::uint64_t before = ~0ull;
      for (const GroupSpan& span : profile_spans(plan, groups, groups)) {
        EXPECT_LT(span.first, span.last);
        EXPECT_LE(span.last, groups);
        EXPECT_LE(span.size(), before) << "the longest comes first";
        before = span.size();
      }
    }
}

TEST(ProfileSpans, RandomOnesHaveAllLengthsAndPlaces) {
  const auto spans = profile_spans({2000}, 10, 7);
  ASSERT_EQ(spans.size(), 2000u);
  std::set<std::pair<std::uint64_t, std::uint64_t>> different;
  for (const GroupSpan& span : spans) different.insert({span.first, span.last});
  EXPECT_EQ(different.size(), 55u) << "each place of each length of 1 to 10";
  EXPECT_EQ(spans, profile_spans({2000}, 10, 7));
  EXPECT_NE(spans, profile_spans({2000}, 10, 8));
}

TEST(ProfileSpans, PlansAreReadOrTold) {
  EXPECT_EQ(*parse_span_plan("paper"), SpanPlan{});
  EXPECT_EQ(*parse_span_plan("random:128"), SpanPlan{128});
  for (const char* text :
       {"", "random", "random:", "random:0", "random:x", "random:3x", "random:-1", "random:4097", "Paper"}) {
    const auto plan = parse_span_plan(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_NE(plan.error().reason.find('"' + std::string(text) + '"'), std::string::npos);
  }
}

}  // namespace
}  // namespace skmd::domain
