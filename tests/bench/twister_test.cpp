// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/twister.h"

#include <gtest/gtest.h>

#include <bitset>
#include <set>
#include <vector>

namespace bench::twister {
namespace {

constexpr std::size_t kDegree = 607;
using Polynomial = std::bitset<2 * kDegree + 2>;  // over GF(2); bit k: coefficient of x^k

/// The shortest linear recurrence that makes `bits` (Berlekamp and Massey); its length comes out in `length`.
Polynomial recurrence(const std::vector<bool>& bits, std::size_t& length) {
  Polynomial now, before, history;
  now[0] = before[0] = true;
  length = 0;
  for (std::size_t n = 0, since = 1; n < bits.size(); ++n) {
    history <<= 1;
    history[0] = bits[n];
    if ((now & history).count() % 2 == 0) {
      ++since;
      continue;
    }
    const Polynomial old = now;
    now ^= before << since;
    ++since;
    if (2 * length > n) continue;
    length = n + 1 - length;
    before = old;
    since = 1;
  }
  return now;
}

/// x^(2^607) modulo `modulus`, which has degree 607.
Polynomial frobenius_of_x(const Polynomial& modulus) {
  Polynomial power;
  power[1] = true;
  for (std::size_t round = 0; round < kDegree; ++round) {
    Polynomial square;
    for (std::size_t k = 0; k < kDegree; ++k) square[2 * k] = power[k];
    for (std::size_t k = 2 * kDegree - 2; k >= kDegree; --k) {
      if (square[k]) square ^= modulus << (k - kDegree);
    }
    power = square;
  }
  return power;
}

/// 607 is prime and 2^607 - 1 too: a polynomial of degree 607 that divides x^(2^607) - x, but not by a linear factor,
/// is irreducible, and irreducible ones are primitive.
TEST(Twister, EveryTwistHasTheFullPeriod) {
  for (const std::uint32_t twist : kTwists) {
    Twister twister({twist, 0, 0, 4357});
    for (int skip = 0; skip < 19; ++skip) twister.next();
    std::vector<bool> bits(2 * kDegree);
    for (auto&& bit : bits) bit = (twister.next() & 1u) != 0;
    std::size_t length = 0;
    const Polynomial connection = recurrence(bits, length);
    ASSERT_EQ(length, kDegree) << std::hex << twist;
    Polynomial modulus;
    for (std::size_t k = 0; k <= kDegree; ++k) modulus[kDegree - k] = connection[k];
    ASSERT_TRUE(modulus[0]) << std::hex << twist;
    ASSERT_EQ(modulus.count() % 2, 1u) << std::hex << twist;
    Polynomial x;
    x[1] = true;
    EXPECT_EQ(frobenius_of_x(modulus), x) << std::hex << twist;
  }
}

TEST(Twister, GeneratorsOfAFamilyDiffer) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t index = 0; index < 32768; ++index) seen.insert({generator(index).twist, generator(index).seed});
  EXPECT_EQ(seen.size(), 32768u);
}

TEST(Twister, NumbersAreInTheHalfOpenInterval) {
  EXPECT_GT(to_unit(0), 0.0f);
  EXPECT_EQ(to_unit(0xFFFFFFFFu), 1.0f);
  EXPECT_LT(to_unit(0xFFFFFE00u), 1.0f);
}

TEST(Twister, NumbersAreEvenlySpread) {
  Twister twister(generator(7));
  std::vector<int> bins(16);
  for (int i = 0; i < 16000; ++i) ++bins[twister.next() >> 28];
  for (const int count : bins) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace bench::twister
