// SPDX-License-Identifier: Apache-2.0
// What transfers teach about links and about copies inside host memory.
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"

#include <gtest/gtest.h>

#include <thread>

namespace skmd::icd {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

double assumed() { return assumed_host_rate(std::thread::hardware_concurrency()); }

/// Nanoseconds that `bytes` take on a link of tuning::kLinkShape with `rate` for large transfers.
std::uint64_t taken(std::uint64_t bytes, double rate) {
  return static_cast<std::uint64_t>((tuning::kLinkShape.bulk_seconds + static_cast<double>(bytes) / rate) * 1e9);
}

TEST(LinkRates, NothingIsKnownBeforeTheFirstTransfer) {
  LinkRates rates;
  EXPECT_FALSE(rates.of(3).to);
  EXPECT_FALSE(rates.of(3).from);
  EXPECT_EQ(rates.host(), assumed());
}

TEST(LinkRates, DirectionsAndDevicesAreApart) {
  LinkRates rates;
  rates.learn_to(1, 64 * kMiB, taken(64 * kMiB, 20e9));
  EXPECT_NEAR(*rates.of(1).to, 20e9, 1e7);
  EXPECT_FALSE(rates.of(1).from);
  EXPECT_FALSE(rates.of(0).to);
  rates.learn_from(1, 256 * kMiB, taken(256 * kMiB, 5e9));
  EXPECT_NEAR(*rates.of(1).from, 5e9, 1e7);
}

TEST(LinkRates, TransfersOfEverySizeTellTheSameLink) {
  for (const std::uint64_t bytes : {8 * kMiB, 32 * kMiB, 1024 * kMiB}) {
    LinkRates rates;
    rates.learn_to(0, bytes, taken(bytes, 25e9));
    EXPECT_NEAR(*rates.of(0).to, 25e9, 2e8) << bytes;
  }
}

TEST(LinkRates, ASmallTransferDoesNotMakeALinkSlowForLargeOnes) {
  LinkRates rates;
  constexpr std::uint64_t kSmall = kMiB / 4;  // at 7 GB/s: that is a link of 35 GB/s
  const auto small = [](double rate) {
    return tuning::kLinkShape.latency_seconds + static_cast<double>(kSmall) / (tuning::kLinkShape.small_part * rate);
  };
  rates.learn_to(0, kSmall, static_cast<std::uint64_t>(small(35e9) * 1e9));
  EXPECT_NEAR(*rates.of(0).to, 35e9, 35e7);
  rates.learn_to(1, kSmall, static_cast<std::uint64_t>(small(12e9) * 1e9));
  EXPECT_NEAR(*rates.of(1).to, 12e9, 12e7);
}

TEST(LinkRates, TimesThatAreTooLongTellOfAFasterLinkAtMost) {
  LinkRates rates;
  const auto send = [&rates](double rate) { rates.learn_to_at_least(0, 8 * kMiB, taken(8 * kMiB, rate)); };
  send(0.5e9);
  EXPECT_FALSE(rates.of(0).to) << "more is assumed";
  EXPECT_EQ(rates.of(0).to_told, 0U);
  send(40e9);
  EXPECT_NEAR(*rates.of(0).to, 40e9, 4e8);
  send(6e9);
  EXPECT_NEAR(*rates.of(0).to, 40e9, 4e8);
  rates.learn_to(1, 8 * kMiB, taken(8 * kMiB, 0.5e9));  // which also made pages
  rates.learn_to_at_least(1, 8 * kMiB, taken(8 * kMiB, 5e9));
  EXPECT_NEAR(*rates.of(1).to, 5e9, 1e8);
}

TEST(LinkRates, TheFirstTransfersGiveWayToAFasterOne) {
  LinkRates rates;
  const auto send = [&rates](double rate) { rates.learn_to(0, 64 * kMiB, taken(64 * kMiB, rate)); };
  send(10e9);
  EXPECT_EQ(rates.of(0).to_told, 1U);
  send(30e9);
  EXPECT_NEAR(*rates.of(0).to, 30e9, 3e7) << "the first one made what transfers go through";
  EXPECT_EQ(rates.of(0).to_told, 2U);
  send(26e9);
  EXPECT_NEAR(*rates.of(0).to, 29e9, 3e7);
  send(33e9);
  EXPECT_NEAR(*rates.of(0).to, 30e9, 3e7) << "a later one counts in part";
  EXPECT_EQ(rates.of(0).from_told, 0U);
}

TEST(LinkRates, WhatIsTooSmallTellsNothing) {
  LinkRates rates;
  rates.learn_to(0, 1000, 1'000'000);
  rates.learn_from(0, kMiB, 0);
  rates.learn_host(kMiB, 1'000'000);
  EXPECT_FALSE(rates.of(0).to);
  EXPECT_FALSE(rates.of(0).from);
  EXPECT_EQ(rates.host(), assumed());
}

TEST(LinkRates, SmallCopiesHaveARateOfTheirOwn) {
  LinkRates rates;
  EXPECT_EQ(rates.host(kMiB), assumed());
  rates.learn_host(4 * kMiB, 4 * kMiB / 32);
  EXPECT_NEAR(rates.host(kMiB), 32e9, 1e8);
  EXPECT_EQ(rates.host(64 * kMiB), assumed());
  rates.learn_host(kMiB, kMiB / 16);
  EXPECT_NEAR(rates.host(kMiB), 28e9, 1e8) << "a quarter of the way";
  rates.learn_host(1000, 1);
  EXPECT_NEAR(rates.host(kMiB), 28e9, 1e8) << "a call, and no copy";
}

TEST(LinkRates, NewerTransfersCount) {
  LinkRates rates;
  rates.learn_to(0, 64 * kMiB, taken(64 * kMiB, 4e9));
  for (int i = 0; i < 20; ++i) rates.learn_to(0, 64 * kMiB, taken(64 * kMiB, 40e9));
  EXPECT_NEAR(*rates.of(0).to, 40e9, 1e9);
}

TEST(LinkRates, TheFirstLargeTransfersAreTimedAndThenFew) {
  LinkRates rates;
  EXPECT_FALSE(rates.asks(0, kMiB)) << "too small to tell";
  int asked = 0;
  for (int i = 0; i < 8; ++i) asked += rates.asks(0, 64 * kMiB) ? 1 : 0;
  EXPECT_EQ(asked, 8);
  for (int i = 0; i < 320; ++i) asked += rates.asks(0, 64 * kMiB) ? 1 : 0;
  EXPECT_EQ(asked, 18);
  EXPECT_TRUE(rates.asks(1, 64 * kMiB)) << "each link by itself";
}

TEST(LinkRates, OfAnotherMachineIsMeasuredWithItsRoundTrip) {
  LinkRates rates;
  rates.set_far(2, 2);
  rates.set_far(3, 2);
  rates.learn_round_trip(2, 500'000);
  rates.learn_measured(2, kMiB, 1'500'000, 2'500'000);
  EXPECT_NEAR(*rates.of(3).to, 1048576 / 1e-3, 1e3) << "devices of one machine share its link";
  EXPECT_NEAR(*rates.of(3).from, 1048576 / 2e-3, 1e3);
}

TEST(LinkRates, OfAnotherMachineLargeTransfersTellByTheDriversTime) {
  LinkRates rates;
  rates.set_far(2, 2);
  rates.learn_round_trip(2, 500'000);
  // Small ones are in a socket's buffer at once.
  rates.learn_to(2, kMiB / 8, 10'000);
  rates.learn_from(2, 2 * kMiB, 10'000);
  EXPECT_FALSE(rates.of(2).to);
  EXPECT_FALSE(rates.of(2).from);
  rates.learn_to(2, 64 * kMiB, 64'000'000);
  EXPECT_NEAR(*rates.of(2).to, 1048576 / 1e-3, 1e3) << "the driver's time has no round trip";
}

TEST(LinkRates, ASlowCopyIsDoubtedAFastOneIsNot) {
  LinkRates rates;
  rates.learn_host(64 * kMiB, 64 * kMiB);  // 1 byte a nanosecond
  EXPECT_NEAR(rates.host(), 0.75 * assumed() + 0.25e9, 1e7);
  for (int i = 0; i < 30; ++i) rates.learn_host(64 * kMiB, 64 * kMiB);
  EXPECT_NEAR(rates.host(), 1e9, 1e8);
  rates.learn_host(64 * kMiB, 2 * kMiB);
  EXPECT_NEAR(rates.host(), 32e9, 1e8);
  EXPECT_EQ(assumed_host_rate(1), assumed_host_rate(2));
  EXPECT_LT(assumed_host_rate(2), assumed_host_rate(8));
  EXPECT_EQ(assumed_host_rate(64), assumed_host_rate(128)) << "memory is what bounds it";
}

}  // namespace
}  // namespace skmd::icd
