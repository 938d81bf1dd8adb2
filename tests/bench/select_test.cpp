// SPDX-License-Identifier: Apache-2.0
#include "bench/support/select.h"

#include <gtest/gtest.h>

#include "bench/support/opencl.h"

namespace bench {
namespace {

const std::vector<PlatformNames> kPlatforms = {
    {"Empty Platform", {}},
    {"Portable Computing Language", {"pthread-cpu", "basic-cpu"}},
    {"NVIDIA CUDA", {"NVIDIA H200", "NVIDIA A100"}},
};

TEST(Choose, EmptyMeansTheFirstDeviceThereIs) { EXPECT_EQ(choose(kPlatforms, ""), (Choice{1, 0})); }

TEST(Choose, TakesPartsOfNamesInAnyCase) {
  EXPECT_EQ(choose(kPlatforms, "nvidia:a100"), (Choice{2, 1}));
  EXPECT_EQ(choose(kPlatforms, "PORTABLE:Basic"), (Choice{1, 1}));
}

TEST(Choose, DigitsAreAnIndexEvenIfANameHoldsThem) {
  EXPECT_EQ(choose(kPlatforms, "nvidia:1"), (Choice{2, 1}));
  EXPECT_EQ(choose(kPlatforms, "nvidia:200"), std::nullopt);
}

TEST(Choose, EmptyPartsMatchAnything) {
  EXPECT_EQ(choose(kPlatforms, "nvidia:"), (Choice{2, 0}));
  EXPECT_EQ(choose(kPlatforms, ":H200"), (Choice{2, 0}));
}

TEST(Choose, NothingMatches) {
  EXPECT_EQ(choose(kPlatforms, "empty:0"), std::nullopt);
  EXPECT_EQ(choose(kPlatforms, "amd:0"), std::nullopt);
  EXPECT_EQ(choose({}, ""), std::nullopt);
}

TEST(Choose, SelectorNeedsAColon) { EXPECT_THROW(choose(kPlatforms, "nvidia"), BadInput); }

}  // namespace
}  // namespace bench
