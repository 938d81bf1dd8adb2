// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "cpu-driver/host_target.h"
#include "cpu-driver/runtime/span_library.h"
#include "tests/cpu-driver/hand-code/artifact.h"

namespace skmd::cpu::test {
namespace {

TEST(KernelCode, IsFoundByTheKernelsName) {
  const auto library = SpanLibrary::load(hand_code(), "");
  ASSERT_TRUE(library.ok()) << library.error().reason;
  const KernelCode code = (*library)->kernel("use_scratch");
  ASSERT_NE(code.run, nullptr);
  EXPECT_EQ(code.facts.local_bytes, 1000u);
  EXPECT_EQ(code.facts.fixed_bytes, 24u);
  EXPECT_EQ(code.facts.item_bytes, 4u);
  EXPECT_EQ(code.facts.width, 8u);
  EXPECT_EQ((*library)->kernel("other").run, nullptr);
}

TEST(KernelCode, RunsTheGroupsThatItIsTold) {
  const auto library = SpanLibrary::load(hand_code(), "");
  ASSERT_TRUE(library.ok()) << library.error().reason;
  std::uint32_t counts[6]{};
  const SpanArgument arguments[] = {{reinterpret_cast<std::byte*>(counts), nullptr, sizeof counts}};
  SpanFrame frame;
  frame.arguments = arguments;
  (*library)->kernel("count_groups").run(&frame, 2, 5, nullptr);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(counts[i], i >= 2 && i < 5 ? 1u : 0u) << i;
}

TEST(KernelCode, IsLoadedWhereTheProcessorRunsIt) {
  const auto best = best_target(std::nullopt);
  ASSERT_TRUE(best.has_value());
  EXPECT_FALSE(name_of(*best).empty());
  bool below = false;
  for (const SpanTarget target :
       {SpanTarget::x86_64_v4_vbmi, SpanTarget::x86_64_v4, SpanTarget::x86_64_v3, SpanTarget::x86_64_v2}) {
    below = below || target == *best;
    const auto library = SpanLibrary::load(hand_code(target), "");
    EXPECT_EQ(library.ok(), below) << name_of(target);
    const std::string reason = library ? std::string(name_of(target)) : library.error().reason;
    EXPECT_NE(reason.find(name_of(target)), std::string::npos) << reason;
  }
  EXPECT_FALSE(SpanLibrary::load(hand_code(SpanTarget::aarch64), "").ok());
  EXPECT_FALSE(SpanLibrary::load(hand_code(static_cast<SpanTarget>(77)), "").ok());
}

}  // namespace
}  // namespace skmd::cpu::test
