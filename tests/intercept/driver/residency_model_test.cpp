// SPDX-License-Identifier: Apache-2.0
// The whole driver against plain arrays: for all transfers between memories, every byte read is the byte last written.
// The environment (see CMakeLists.txt) says which real devices the virtual one is made of and how launches are split.
#include <gtest/gtest.h>

#include "tests/intercept/driver/model_world.h"
#include "tests/seed.h"

namespace skmd::test {
namespace {

constexpr unsigned kSeed = 20120917;
constexpr std::size_t kSteps = 5200;

TEST(ResidencyModel, EveryByteReadIsTheByteLastWritten) {
  ModelWorld world(kSeed + seed_offset());
  world.open();
  while (world.steps < kSteps && !HasFailure()) {
    world.step();
    if (world.steps % 400 == 0) world.compare_all();
  }
  world.compare_all();
  EXPECT_GT(world.launches, kSteps / 4);
}

}  // namespace
}  // namespace skmd::test
