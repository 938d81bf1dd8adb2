// SPDX-License-Identifier: Apache-2.0
// evaluate() against an interpreter that runs every work-item: reads and possible writes are never too small, sure
// writes never too large. Every operation, width and guard form takes part; seeds are fixed.
#include <gtest/gtest.h>

#include "partitioner/traits/traits_codec.h"
#include "tests/partitioner/random_kernel.h"

namespace skmd::domain::test {
namespace {

constexpr std::uint64_t kCases = 12000;

struct Tally {
  std::uint64_t ran = 0;
  std::uint64_t sure = 0;   // cases with sure writes
  std::uint64_t tight = 0;  // footprints that are exactly what was touched, and not a whole buffer
};

bool covers(const RangeSet& set, std::size_t byte) { return set.contains({byte, byte + 1}); }

bool is_whole(const RangeSet& set, std::uint64_t bytes) { return set.bytes() == bytes; }

void check(const RandomCase& c, const std::vector<Footprint>& footprints, const std::vector<Touched>& touched,
           std::uint64_t seed, Tally& tally) {
  const auto arguments = c.kernel.arguments();
  bool sure = false;
  for (std::size_t p = 0; p < footprints.size(); ++p) {
    const Footprint& f = footprints[p];
    if (!arguments[p].is_buffer) {
      ASSERT_EQ(f, Footprint{}) << "seed " << seed;
      continue;
    }
    ASSERT_LE(std::max({f.reads.hull().end, f.may_write.hull().end, f.must_write.hull().end}), arguments[p].bytes);
    std::uint64_t really = 0;
    for (std::size_t byte = 0; byte < touched[p].read.size(); ++byte) {
      ASSERT_TRUE(!touched[p].read[byte] || covers(f.reads, byte)) << "seed " << seed << " read at " << byte;
      ASSERT_TRUE(!touched[p].written[byte] || covers(f.may_write, byte)) << "seed " << seed << " write at " << byte;
      if (covers(f.must_write, byte)) {
        ASSERT_TRUE(touched[p].written[byte]) << "seed " << seed << " not written at " << byte;
        ASSERT_TRUE(covers(f.may_write, byte)) << "seed " << seed;
      }
      really += touched[p].read[byte] ? 1 : 0;
      really += touched[p].written[byte] ? 1 : 0;
    }
    sure = sure || !f.must_write.empty();
    const bool whole = is_whole(f.reads, arguments[p].bytes) || is_whole(f.may_write, arguments[p].bytes);
    if (really > 0 && !whole && f.reads.bytes() + f.may_write.bytes() == really) ++tally.tight;
  }
  tally.sure += sure ? 1 : 0;
}

Tally run_cases(std::uint64_t first_seed, bool tame) {
  Tally tally;
  for (std::uint64_t seed = first_seed; seed < first_seed + kCases; ++seed) {
    RandomCase c = random_case(seed, tame);
    const auto views = c.kernel.arguments();
    if (seed % 2 == 1)  // pointers into the middle
      for (std::uint32_t p = 0; p < views.size(); ++p)
        if (views[p].is_buffer) c.kernel.point_inside(p, views[p].bytes / (2 + p));
    const Status valid = check_traits(c.kernel.traits);
    EXPECT_TRUE(valid.ok()) << "seed " << seed << ' ' << (valid.ok() ? "" : valid.error().reason);
    if (!valid) return tally;
    std::mt19937_64 random(seed * 7919 + 1);
    const auto oracle = [&]() -> std::uint64_t { return random() % 3 == 0 ? random() : random() % 16; };
    const auto touched = interpret(c.kernel.traits, c.range, c.span, c.kernel.arguments(), oracle);
    if (!touched) continue;
    ++tally.ran;
    check(c, c.kernel.evaluate(c.range, c.span), *touched, seed, tally);
    if (testing::Test::HasFatalFailure()) return tally;
  }
  return tally;
}

TEST(FootprintProperty, ArbitraryExpressionsAreNeverUnderEstimated) {
  const Tally tally = run_cases(1, false);
  EXPECT_GT(tally.ran, kCases * 3 / 4);
}

TEST(FootprintProperty, KernelLikeExpressionsAreNeverUnderEstimatedAndOftenTight) {
  const Tally tally = run_cases(1'000'000, true);
  EXPECT_GT(tally.ran, kCases * 3 / 4);
  EXPECT_GT(tally.sure, kCases / 10);
  EXPECT_GT(tally.tight, kCases / 10);
  RecordProperty("tight", static_cast<int>(tally.tight));
  RecordProperty("sure", static_cast<int>(tally.sure));
}

}  // namespace
}  // namespace skmd::domain::test
