// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/host_target.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace skmd::cpu {
namespace {

constexpr SpanTarget kLevels[] = {SpanTarget::x86_64_v2, SpanTarget::x86_64_v3, SpanTarget::x86_64_v4,
                                  SpanTarget::x86_64_v4_vbmi};

TEST(HostTarget, ACapIsOneOfFourNamesOrNone) {
  EXPECT_EQ(*parse_isa_cap(""), std::nullopt);
  EXPECT_EQ(*parse_isa_cap("sse"), SpanTarget::x86_64_v2);
  EXPECT_EQ(*parse_isa_cap("avx2"), SpanTarget::x86_64_v3);
  EXPECT_EQ(*parse_isa_cap("avx512"), SpanTarget::x86_64_v4);
  EXPECT_EQ(*parse_isa_cap("avx512vbmi"), SpanTarget::x86_64_v4_vbmi);
  for (const char* wrong : {"AVX2", "avx", "avx2 ", "best", "x86-64-v3", "1"}) {
    const auto cap = parse_isa_cap(wrong);
    ASSERT_FALSE(cap.ok()) << wrong;
    EXPECT_NE(cap.error().reason.find(wrong), std::string::npos) << cap.error().reason;
  }
}

TEST(HostTarget, TheBestIsTheHighestThatRunsAndIsNotAboveTheCap) {
  std::optional<SpanTarget> expected;
  for (const SpanTarget level : kLevels) {
    if (runs_here(level)) expected = level;
    if (!runs_here(SpanTarget::aarch64)) {
      EXPECT_EQ(best_target(level), expected) << name_of(level);
    }
  }
  if (!runs_here(SpanTarget::aarch64)) {
    EXPECT_EQ(best_target(std::nullopt), expected);
  }
}

/// What may be used in a process that starts with SKMD_TEST_ISA=`value`: a bit for each level.
int usable_with(const char* value) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("SKMD_TEST_ISA", value, 1);
    int bits = 0;
    for (int i = 0; i < 4; ++i) bits |= static_cast<int>(may_use(kLevels[i])) << i;
    _exit(bits);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HostTarget, TheVariableCapsWhatMayBeUsed) {
  int runs = 0;
  for (int i = 0; i < 4; ++i) runs |= static_cast<int>(runs_here(kLevels[i])) << i;
  EXPECT_EQ(usable_with("sse"), runs & 1);
  EXPECT_EQ(usable_with("avx2"), runs & 3);
  EXPECT_EQ(usable_with("avx512"), runs & 7);
  EXPECT_EQ(usable_with("avx512vbmi"), runs);
  EXPECT_EQ(usable_with("nonsense"), runs);
}

}  // namespace
}  // namespace skmd::cpu
