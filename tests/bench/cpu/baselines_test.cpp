// SPDX-License-Identifier: Apache-2.0
// What the baselines compute, in every instruction set that this processor has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "bench/cpu/pool.h"
#include "bench/cpu/simd.h"
#include "bench/reference/gravity.h"
#include "bench/support/check.h"
#include "bench/support/random.h"

namespace bench::simd {
namespace {

class Baselines : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (functions(GetParam()).lanes != GetParam()) GTEST_SKIP() << "this processor has no such vectors";
  }
  const Functions& simd() const { return functions(GetParam()); }
};

/// Bodies of the reference with their places after a step.
void expect_moved(const gravity::Bodies& bodies, const std::vector<Four>& positions,
                  const std::vector<Four>& velocities) {
  for (std::size_t i = 0; i < positions.size(); i += gravity::kLanes) {
    std::array<std::size_t, gravity::kLanes> which{};
    for (std::size_t lane = 0; lane < which.size(); ++lane) which[lane] = i + lane;
    const gravity::Accelerations pull = gravity::accelerate(bodies.positions, which);
    for (std::size_t lane = 0; lane < which.size(); ++lane) {
      gravity::Body position = bodies.positions[i + lane], velocity = bodies.velocities[i + lane];
      gravity::advance(position, velocity, pull.x[lane], pull.y[lane], pull.z[lane]);
      for (int axis = 0; axis < 3; ++axis) {
        ASSERT_TRUE(is_near(positions[i + lane].s[axis], position.s[axis], 1e-5, 1e-6)) << i + lane;
        ASSERT_TRUE(is_near(velocities[i + lane].s[axis], velocity.s[axis], 1e-5, 1e-6)) << i + lane;
      }
    }
  }
}

std::vector<Four> as_fours(const std::vector<gravity::Body>& bodies) {
  std::vector<Four> result;
  for (const gravity::Body& body : bodies) result.push_back({{body.s[0], body.s[1], body.s[2], body.s[3]}});
  return result;
}

TEST_P(Baselines, NbodyMovesBodiesAsTheReference) {
  constexpr std::size_t kBodies = 1024;
  const gravity::Bodies bodies = gravity::make(kBodies);
  const std::vector<Four> positions = as_fours(bodies.positions), velocities = as_fours(bodies.velocities);
  for (const auto function : {simd().nbody_exact, simd().nbody_estimate}) {
    std::vector<Four> new_positions(kBodies), new_velocities(kBodies);
    const NbodyWork work{positions.data(), velocities.data(),  new_positions.data(), new_velocities.data(),
                         kBodies,          gravity::kTimeStep, gravity::kSoftening};
    function(work, 0, 512);
    function(work, 512, kBodies);
    expect_moved(bodies, new_positions, new_velocities);
  }
}

TEST_P(Baselines, MatrixProductIsExact) {
  constexpr std::size_t kOrder = 160;
  const std::vector<float> a = random_whole_floats(kOrder * kOrder, 1, -2, 5);
  const std::vector<float> b = random_whole_floats(kOrder * kOrder, 2, -2, 5);
  std::vector<float> c(kOrder * kOrder, 0.5f);
  const MatrixWork work{a.data(), b.data(), c.data(), kOrder};
  simd().matrix_multiplication(work, 0, 7);
  simd().matrix_multiplication(work, 7, 25);
  const Verdict verdict = freivalds(a, b, c, kOrder, 4);
  EXPECT_TRUE(verdict.ok) << verdict.detail;
}

TEST_P(Baselines, BlackScholesPricesAreThoseOfTheFormula) {
  constexpr std::size_t kOptions = 4096;
  constexpr double kRate = 0.02, kVolatility = 0.3;
  const auto price = random_floats(kOptions, 1, 5, 30), strike = random_floats(kOptions, 2, 1, 100),
             years = random_floats(kOptions, 3, 0.25f, 10);
  std::vector<float> call(kOptions), put(kOptions);
  simd().black_scholes({price.data(), strike.data(), years.data(), call.data(), put.data(), kRate, kVolatility}, 0,
                       kOptions);
  const auto cdf = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  for (std::size_t i = 0; i < kOptions; ++i) {
    const double s = price[i], x = strike[i], t = years[i], spread = kVolatility * std::sqrt(t);
    const double d = (std::log(s / x) + (kRate + 0.5 * kVolatility * kVolatility) * t) / spread;
    const double discounted = x * std::exp(-kRate * t), expected = s * cdf(d) - discounted * cdf(d - spread);
    ASSERT_TRUE(is_near(call[i], expected, 1e-5, 1e-4)) << i << ": " << call[i] << " for " << expected;
    ASSERT_TRUE(is_near(put[i], expected + discounted - s, 1e-5, 1e-4)) << i;
  }
}

/// The root's value of a tree with `in` at its parameters, in double precision.
double tree(double in, int steps, double rate, double volatility) {
  const double spot = 5 + 25 * in, strike = 1 + 99 * in, dt = (0.25 + 9.75 * in) / steps;
  const double spread = volatility * std::sqrt(dt), growth = std::exp(rate * dt), up = std::exp(spread);
  const double p = (growth - 1 / up) / (up - 1 / up);
  std::vector<double> row;
  for (int leaf = 0; leaf <= steps; ++leaf)
    row.push_back(std::max(spot * std::exp(spread * (2 * leaf - steps)) - strike, 0.0));
  for (int level = steps; level > 0; --level)
    for (std::size_t i = 0; i < static_cast<std::size_t>(level); ++i)
      row[i] = (p * row[i + 1] + (1 - p) * row[i]) / growth;
  return row[0];
}

TEST_P(Baselines, BinomialPricesAreThoseOfTheTree) {
  Random random(4);
  std::vector<Four> samples(9), prices(9);
  for (Four& four : samples)
    for (float& value : four.s) value = random.uniform(0, 1);
  for (const int steps : {2, 16, 254}) {
    simd().binomial_option({samples.data(), prices.data(), steps, 0.02f, 0.3f}, 0, samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
      for (int k = 0; k < 4; ++k)
        ASSERT_TRUE(is_near(prices[i].s[k], tree(samples[i].s[k], steps, 0.02, 0.3), 1e-3, 1e-3)) << steps << ' ' << i;
  }
}

TEST_P(Baselines, LoopsComputeWhatTheirKernelsDo) {
  constexpr std::size_t kCount = 4 * 4096, kOrder = 128, kBlock = 256;
  const std::vector<float> numbers = random_whole_floats(kCount, 1, 0, 256);
  std::vector<float> sums(4), added(kCount), turned(kCount), scanned(kCount), blocks(kCount / kBlock);
  simd().reduction(numbers.data(), sums.data(), 0, 4);
  simd().vector_add(numbers.data(), numbers.data(), added.data(), 0, kCount);
  simd().transpose(numbers.data(), turned.data(), kOrder, 0, kOrder / 32 * kOrder / 32);
  simd().scan_blocks(numbers.data(), scanned.data(), blocks.data(), 0, blocks.size());
  float sum = 0, before = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i % kBlock == 0) before = 0;
    ASSERT_EQ(scanned[i], before);
    before += numbers[i];
    sum += numbers[i];
    ASSERT_EQ(blocks[i / kBlock], i % kBlock == kBlock - 1 ? before : blocks[i / kBlock]);
    ASSERT_EQ(added[i], 2 * numbers[i]);
    ASSERT_EQ(turned[i % kOrder * kOrder + i / kOrder], numbers[i]);
    if (i % 4096 == 4095) {
      ASSERT_EQ(sums[i / 4096], sum);
      sum = 0;
    }
  }
  simd().add_offsets(scanned.data(), blocks.data(), 1, 2);
  EXPECT_EQ(scanned[kBlock], blocks[1]);
  EXPECT_EQ(scanned[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Lanes, Baselines, testing::Values(4, 8, 16));

TEST(BaselinesCap, TheVariableTakesAwayWideVectors) {
  const std::size_t widest = functions().lanes;
  for (const char* isa : {"sse", "avx2", "avx512", "avx512vbmi"}) {
    setenv("SKMD_TEST_ISA", isa, 1);
    EXPECT_EQ(functions().lanes, std::min(widest, lanes_of_cap(isa))) << isa;
    EXPECT_LE(functions(8).lanes, 8u) << isa;
  }
  unsetenv("SKMD_TEST_ISA");
  EXPECT_EQ(lanes_of_cap("sse"), 4u);
  EXPECT_EQ(lanes_of_cap("avx2"), 8u);
  EXPECT_EQ(lanes_of_cap(""), 16u);
}

TEST(BenchPool, EveryIndexOnceOnEveryRun) {
  Pool pool(3);
  std::vector<std::atomic<int>> counts(1000);
  for (int run = 1; run <= 100; ++run) {
    pool.run(counts.size(), 7, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) ++counts[i];
    });
    for (const auto& count : counts) ASSERT_EQ(count, run);
  }
}

}  // namespace
}  // namespace bench::simd
