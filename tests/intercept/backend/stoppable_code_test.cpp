// SPDX-License-Identifier: Apache-2.0
// What is known of kernels that a vendor's device can be stopped in.
#include "intercept/backend/vendor/stoppable_code.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace skmd::icd {
namespace {

TEST(StoppableCode, ServesLaunchesThatItsLimitsHoldFor) {
  KernelLimits limits;
  limits.most_items = 256;
  limits.local_bytes = 12;
  constexpr std::uint64_t kLocal = 48 << 10;
  EXPECT_TRUE(serves(limits, {UINT32_MAX, 256, kLocal - 12}, kLocal));
  EXPECT_FALSE(serves(limits, {1, 257, 0}, kLocal));
  EXPECT_FALSE(serves(limits, {1, 1, kLocal - 11}, kLocal)) << "which the kernel itself has room for";
  EXPECT_FALSE(serves(limits, {1, 1, UINT64_MAX}, kLocal));
  EXPECT_FALSE(serves(limits, {std::uint64_t{1} << 32, 1, 0}, kLocal));
  EXPECT_FALSE(serves(limits, {1, 1, 0}, 11));
}

TEST(StoppableText, IsDecodedAsItWasEncoded) {
  compiler::StoppableText text;
  text.kernels.push_back({"k", {0x123456789abcdef0u, 2, 3, 1, 4}, 128, 1});
  text.text = "kernel void k() {}";
  const std::string bytes = encode(text);
  const auto decoded = compiler::decode_stoppable(bytes);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->text, text.text);
  ASSERT_EQ(decoded->kernels.size(), 1u);
  EXPECT_EQ(decoded->kernels[0].name, "k");
  EXPECT_EQ(decoded->kernels[0].facts.schema, 0x123456789abcdef0u);
  EXPECT_EQ(decoded->kernels[0].facts.words(5), 17u);
  EXPECT_EQ(decoded->kernels[0].local_bytes, 128u);
  for (std::size_t bytes_left = 0; bytes_left < bytes.size(); ++bytes_left)
    EXPECT_FALSE(compiler::decode_stoppable(bytes.substr(0, bytes_left)).ok());
  EXPECT_FALSE(compiler::decode_stoppable(bytes + "x").ok());
}

using Words = MadeLater<std::string>;

TEST(MadeLater, IsMadeOnceOnAnotherThreadOrWhileItIsWaitedFor) {
  int made = 0;
  std::vector<std::function<void()>> later;
  const auto make = [&] {
    ++made;
    return std::make_unique<std::string>("code");
  };
  const auto words = std::make_shared<Words>(make, [&](std::function<void()> work) { later.push_back(work); });
  EXPECT_EQ(Words::find(words, false), nullptr);
  EXPECT_EQ(Words::find(words, false), nullptr);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(made, 0);
  ASSERT_NE(Words::find(words, true), nullptr);
  later.front()();
  EXPECT_EQ(*words->ready(), "code");
  EXPECT_EQ(made, 1);
}

TEST(MadeLater, IsAskedForAgainWhereThereWasNoThread) {
  int asked = 0;
  const auto words = std::make_shared<Words>([] { return std::make_unique<std::string>("code"); },
                                             [&](const std::function<void()>& work) {
                                               if (++asked == 1) throw std::runtime_error("no thread");
                                               work();
                                             });
  EXPECT_EQ(Words::find(words, false), nullptr);
  EXPECT_NE(Words::find(words, false), nullptr);
  EXPECT_EQ(asked, 2);
}

TEST(MadeLater, MayFailOnce) {
  int made = 0;
  const auto make = [&]() -> std::unique_ptr<std::string> {
    ++made;
    throw std::bad_alloc();
  };
  const auto words = std::make_shared<Words>(make, [](const std::function<void()>& work) { work(); });
  EXPECT_EQ(Words::find(words, true), nullptr);
  EXPECT_EQ(Words::find(words, true), nullptr);
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace skmd::icd
