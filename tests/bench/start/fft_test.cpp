// SPDX-License-Identifier: Apache-2.0
// The text's arithmetic is checked by running it (programs_test.py); here is what it is made of.
#include "bench/start/fft_text.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++result;
  return result;
}

const FftPlan kPlan{{{8, 4}, {4, 4}, {8, 4}}};

TEST(FftText, HasOneKernelForEachPassAndDirectionAndNoLoop) {
  const std::string text = fft_text(kPlan);
  EXPECT_EQ(count(text, "__kernel"), 6u);
  for (const bool inverse : {false, true}) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(count(text, " void " + fft_kernel_name(inverse, k) + "("), 1u);
  }
  EXPECT_EQ(count(text, "for ("), 0u);
}

TEST(FftText, ItemsOfAPassHoldAllNumbers) {
  EXPECT_EQ(kPlan.length(), 32u * 16 * 32);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(kPlan.global(k) * kPlan.passes[k].first, kPlan.length());
    EXPECT_EQ(kPlan.global(k) % kPlan.local(k), 0u);
  }
}

}  // namespace
}  // namespace bench
