// SPDX-License-Identifier: Apache-2.0
#include "bench/support/check.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <set>

#include "bench/support/random.h"

namespace bench {
namespace {

constexpr double kCheap = 0.001;
constexpr double kDear = 1e9;

Judge all_right_but(std::size_t wrong) {
  return [wrong](std::size_t i) { return i == wrong ? "wrong" : ""; };
}

TEST(CheckOutputs, LooksAtEveryOutputWhereThatIsCheap) {
  std::vector<std::atomic<int>> seen(100000);
  const Verdict verdict = check_outputs(seen.size(), kCheap, [&](std::size_t i) {
    ++seen[i];
    return "";
  });
  EXPECT_EQ(verdict.kind, "all");
  EXPECT_TRUE(verdict.ok);
  for (const auto& times : seen) ASSERT_EQ(times, 1);
}

TEST(CheckOutputs, FindsOneWrongOutputAnywhere) {
  for (const std::size_t wrong : {0u, 1u, 4999u, 5000u, 9999u}) {
    const Verdict verdict = check_outputs(10000, kCheap, all_right_but(wrong));
    EXPECT_FALSE(verdict.ok) << wrong;
    EXPECT_EQ(verdict.detail, "output " + std::to_string(wrong) + ": wrong");
  }
}

TEST(CheckOutputs, FindsAWrongStretchBySamples) {
  constexpr std::size_t kCount = 100 * kMinSamples;
  for (const std::size_t first : {std::size_t{0}, kCount / 3, kCount - 200}) {
    const Verdict verdict =
        check_outputs(kCount, kDear, [first](std::size_t i) { return i >= first && i < first + 200 ? "wrong" : ""; });
    EXPECT_EQ(verdict.kind, "sampled");
    EXPECT_FALSE(verdict.ok) << first;
  }
}

TEST(CheckOutputs, NothingToCheckIsRight) { EXPECT_TRUE(check_outputs(0, kCheap, all_right_but(0)).ok); }

TEST(Sample, TakesAtLeastTheMinimumHoweverDear) {
  EXPECT_EQ(Sample(10 * kMinSamples, kDear).size(), kMinSamples);
  EXPECT_EQ(Sample(kMinSamples, kDear).kind(), "all");
  EXPECT_EQ(Sample(kMinSamples + 1, kDear).kind(), "sampled");
}

TEST(Sample, TakesOneOfEachStretch) {
  constexpr std::size_t kCount = 64 * kMinSamples;
  const Sample sample(kCount, kDear);
  for (std::size_t k = 0; k < sample.size(); ++k) ASSERT_EQ(sample.at(k) / 64, k);
}

TEST(Sample, LeavesNoColumnOut) {
  const Sample sample(64 * kMinSamples, kDear);
  std::set<std::size_t> columns;
  for (std::size_t k = 0; k < 4096; ++k) columns.insert(sample.at(k) % 64);
  EXPECT_EQ(columns.size(), 64u);
}

TEST(JudgeNear, TellsBothNumbers) { EXPECT_EQ(judge_near(1.5, 2.5, 0, 0.5), "got 1.5 instead of 2.5"); }

TEST(JudgeNear, TakesWhatIsWithinTolerance) {
  EXPECT_EQ(judge_near(101, 100, 0.01, 0), "");
  EXPECT_EQ(judge_near(-0.25, 0, 0.01, 0.25), "");
  EXPECT_NE(judge_near(102, 100, 0.01, 0.5), "");
}

TEST(JudgeNear, NeverTakesNan) {
  EXPECT_NE(judge_near(NAN, 1, 1, 1e30), "");
  EXPECT_NE(judge_near(INFINITY, 1, 1, 1e30), "");
}

class Freivalds : public testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < kOrder; ++i) {
      for (std::size_t j = 0; j < kOrder; ++j) {
        for (std::size_t k = 0; k < kOrder; ++k) c_[i * kOrder + j] += a_[i * kOrder + k] * b_[k * kOrder + j];
      }
    }
  }
  Verdict verdict() const { return freivalds(a_, b_, c_, kOrder, 2); }

  static constexpr std::size_t kOrder = 48;
  std::vector<float> a_ = random_whole_floats(kOrder * kOrder, 1, -8, 16);
  std::vector<float> b_ = random_whole_floats(kOrder * kOrder, 2, -8, 16);
  std::vector<float> c_ = std::vector<float>(kOrder * kOrder);
};

TEST_F(Freivalds, TakesTheProduct) {
  EXPECT_TRUE(verdict().ok) << verdict().detail;
  EXPECT_EQ(verdict().kind, "freivalds");
}

TEST_F(Freivalds, FindsAnySingleWrongEntry) {
  for (std::size_t i = 0; i < c_.size(); i += 37) {
    c_[i] += 1;
    EXPECT_FALSE(verdict().ok) << i;
    c_[i] -= 1;
  }
}

TEST_F(Freivalds, FindsErrorsThatCancelInARowSum) {
  c_[0] += 3;
  c_[1] -= 3;
  EXPECT_FALSE(verdict().ok);
}

TEST_F(Freivalds, RefusesWhatIsNoWholeNumber) {
  for (const float bad : {0.5f, NAN, INFINITY, 1e30f}) {
    const float good = std::exchange(c_[100], bad);
    EXPECT_FALSE(verdict().ok) << bad;
    c_[100] = good;
  }
}

}  // namespace
}  // namespace bench
