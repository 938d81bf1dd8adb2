// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/scaled_times.h"

#include <gtest/gtest.h>

#include "partitioner/model/known_times.h"

namespace skmd::domain {
namespace {

NdRange range() { return {1, {0, 0, 0}, {1024, 1, 1}, {64, 1, 1}}; }

TEST(ScaledTimes, RatesAreMultipliedAndSamplesAreNot) {
  KnownTimes known({DeviceModel{}, DeviceModel{}});
  ScaledTimes scaled(known, {1, 10});
  for (int i = 0; i < 8; ++i)
    for (const std::uint32_t device : {0u, 1u}) scaled.learn({7, device, range(), {0, 16}, 16'000'000});
  EXPECT_NEAR(scaled.predict(7, 0, range()).groups_per_second, 1000, 1);
  EXPECT_NEAR(scaled.predict(7, 1, range()).groups_per_second, 10000, 10);
  EXPECT_NEAR(known.predict(7, 1, range()).groups_per_second, 1000, 1);
}

TEST(ScaledTimes, FactorsAreReadOrNamed) {
  EXPECT_EQ(*parse_rate_factors("1,10", 2), (std::vector<double>{1, 10}));
  EXPECT_EQ(*parse_rate_factors("0.5", 3), (std::vector<double>{0.5}));
  for (const char* wrong : {"", "1,", "-1", "0", "inf", "1,2,3", "x", "1 ,2"}) {
    const auto parsed = parse_rate_factors(wrong, 2);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_NE(parsed.error().reason.find(std::string("SKMD_TEST_RATES=") + wrong), std::string::npos);
  }
}

}  // namespace
}  // namespace skmd::domain
