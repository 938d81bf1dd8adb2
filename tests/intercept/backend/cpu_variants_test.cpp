// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/cpu_variants.h"

#include <gtest/gtest.h>

#include "cpu-driver/host_target.h"

namespace skmd::icd {
namespace {

TEST(CpuVariants, AreReadInTheirOrder) {
  if (!cpu::runs_here(cpu::SpanTarget::x86_64_v2)) GTEST_SKIP() << "sse names code for x86-64 only";
  const std::string best(cpu::name_of(*cpu::best_target()));
  EXPECT_TRUE(parse_cpu_variants("")->empty());
  const auto variants = parse_cpu_variants("best:1,sse:12@discrete,best:4096");
  ASSERT_TRUE(variants) << variants.error().reason;
  EXPECT_EQ(*variants, (std::vector<CpuVariant>{
                           {"best", best, 1, false}, {"sse", "x86-64-v2", 12, true}, {"best", best, 4096, false}}));
}

TEST(CpuVariants, ErrorsNameThePartThatIsWrong) {
  for (const auto& [text, part] : {std::pair{"best", "\"best\""},
                                   {"best:", "\"best:\""},
                                   {"best:0", "\"best:0\""},
                                   {"best:4097", "\"best:4097\""},
                                   {"best:1,", "\"best:1,\""},
                                   {",best:1", "\"\""},
                                   {"mmx:1", "\"mmx:1\""},
                                   {":1", "\":1\""},
                                   {"best:1,best:2x", "\"best:2x\""},
                                   {"best:1@discret", "\"best:1@discret\""}}) {
    const auto variants = parse_cpu_variants(text);
    ASSERT_FALSE(variants) << text;
    EXPECT_NE(variants.error().reason.find(part), std::string::npos) << variants.error().reason;
    EXPECT_NE(variants.error().reason.find("SKMD_TEST_CPUS"), std::string::npos);
  }
}

}  // namespace
}  // namespace skmd::icd
