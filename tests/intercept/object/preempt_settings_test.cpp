// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/preempt_settings.h"

#include <gtest/gtest.h>

#include "intercept/backend/port/stop_token.h"

namespace skmd::icd::test {
namespace {

TEST(PreemptSettings, ModesAreThoseThatAreDocumented) {
  EXPECT_EQ(parse_preempt_mode("auto"), PreemptMode::automatic);
  EXPECT_EQ(parse_preempt_mode("off"), PreemptMode::off);
  EXPECT_EQ(parse_preempt_mode("cut"), PreemptMode::cut);
  EXPECT_EQ(parse_preempt_mode("group"), PreemptMode::group);
  EXPECT_EQ(parse_preempt_mode("item"), PreemptMode::item);
  for (const char* wrong : {"", "Auto", "items", "1", "cut "})
    EXPECT_EQ(parse_preempt_mode(wrong), std::nullopt) << wrong;
}

TEST(PreemptSettings, MillisecondsHaveALeast) {
  EXPECT_EQ(parse_preempt_ms("10"), 0.010);
  EXPECT_EQ(parse_preempt_ms("0.1"), 1e-4);
  EXPECT_EQ(parse_preempt_ms("2.5"), 0.0025);
  for (const char* wrong : {"", "0", "0.05", "-3", "nan", "inf", "10ms", "1e999", "1e20"})
    EXPECT_EQ(parse_preempt_ms(wrong), std::nullopt) << wrong;
}

TEST(PreemptSettings, TestsNameWhereTheRestGoesOn) {
  const auto stay = parse_preempt_test("3:200", 2);
  ASSERT_TRUE(stay);
  EXPECT_EQ(stay->seed, 3u);
  EXPECT_EQ(stay->nanoseconds, 200'000u);
  EXPECT_EQ(stay->then, PreemptTest::Then::stay);
  const auto other = parse_preempt_test("0:1:other", 2);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->then, PreemptTest::Then::other);
  const auto device = parse_preempt_test("7:50:1", 2);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->then, PreemptTest::Then::device);
  EXPECT_EQ(device->device, 1u);
  for (const char* wrong :
       {"", "3", "3:", ":200", "3:0", "3:200:", "3:200:2", "3:200:others", "3:200:1:1", "-1:5", "a:5"})
    EXPECT_FALSE(parse_preempt_test(wrong, 2)) << wrong;
}

TEST(StopToken, IsRequestedFromTheFirstTimeOnThatWasSet) {
  StopToken token;
  EXPECT_FALSE(token.requested());
  token.request_at(7);
  EXPECT_TRUE(token.requested());
  token.request_at(1);
  EXPECT_EQ(token.since(), 7u);
  StopToken later;
  later.request_at(host_now() + 3'600'000'000'000);
  EXPECT_FALSE(later.requested());
}

}  // namespace
}  // namespace skmd::icd::test
