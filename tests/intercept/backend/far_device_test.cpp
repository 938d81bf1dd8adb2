// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/far_device.h"

#include <gtest/gtest.h>

namespace skmd::icd {
namespace {

DeviceDescription described(const FarAnswers& answers, const std::string& host = "hostb:1") {
  DeviceDescription description;
  description.name = answers.name;
  description.discrete = false;
  describe_far(answers, host, description);
  return description;
}

const FarAnswers kPocl{"pthread-skylake", "AuthenticAMD", "OpenCL 3.0 PoCL", "3.1"};

TEST(FarDevice, HasMemoryOfItsOwnAndNamesItsHost) {
  const DeviceDescription description = described(kPocl);
  EXPECT_EQ(description.backend, "remote");
  EXPECT_EQ(description.host, "hostb:1");
  EXPECT_TRUE(description.discrete);
  EXPECT_FALSE(description.rounds_unlike_itself);
}

TEST(FarDevice, RoundsLikeOneOfTheSameDriverVersionAndBoardOnly) {
  const std::string own = described(kPocl).arithmetic;
  EXPECT_EQ(described(kPocl, "hostc:1").arithmetic, own) << "the machine does not matter";
  EXPECT_NE(own, "pocl-cpu|3.1") << "a local PoCL";
  for (const auto change : {&FarAnswers::name, &FarAnswers::vendor, &FarAnswers::version, &FarAnswers::driver}) {
    FarAnswers other = kPocl;
    other.*change += "x";
    EXPECT_NE(described(other).arithmetic, own);
    EXPECT_NE(own.find(kPocl.*change), std::string::npos) << own;
  }
}

TEST(FarDevice, TakesNoPtxThoughItsBoardDoes) {
  const DeviceDescription description = described({"NVIDIA H100", "NVIDIA Corporation", "OpenCL 3.0 CUDA", "550"});
  EXPECT_FALSE(description.takes_ptx);
  EXPECT_FALSE(description.overlapping_views);
  EXPECT_TRUE(described(kPocl).overlapping_views);
}

TEST(FarDevice, AVirtualOneOfSeveralMayRoundUnlikeItself) {
  const auto rounds_unlike_itself = [](const std::string& name) {
    return described({name, "SKMD", "OpenCL 3.0 SKMD", "0.1.0-12345678"}).rounds_unlike_itself;
  };
  EXPECT_FALSE(rounds_unlike_itself("SKMD (AMD EPYC 9654) 3f0a"));
  EXPECT_FALSE(rounds_unlike_itself("SKMD (8xyz) 3f0a"));
  EXPECT_TRUE(rounds_unlike_itself("SKMD (NVIDIA H200 + AMD EPYC 9654) 3f0a"));
  EXPECT_TRUE(rounds_unlike_itself("SKMD (2x NVIDIA H200) 3f0a")) << "models are cut off in names";
  EXPECT_TRUE(rounds_unlike_itself("SKMD ("));
  EXPECT_FALSE(rounds_unlike_itself("NVIDIA H200 + AMD")) << "no virtual device";
}

}  // namespace
}  // namespace skmd::icd
