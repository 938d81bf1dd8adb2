// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/gravity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bench::gravity {
namespace {

TEST(Gravity, PullsTwoBodiesTogetherByTheSoftenedLaw) {
  const std::vector<Body> positions = {{{0, 0, 0, 2}}, {{3, 0, 4, 7}}};
  std::array<std::size_t, kLanes> which{};
  which[1] = 1;
  const Accelerations pull = accelerate(positions, which);
  const double cube = std::pow(25.0 + kSoftening, 1.5);
  EXPECT_NEAR(pull.x[0], 7 * 3 / cube, 1e-6);
  EXPECT_NEAR(pull.y[0], 0, 1e-6);
  EXPECT_NEAR(pull.z[0], 7 * 4 / cube, 1e-6);
  EXPECT_NEAR(pull.x[1], -2 * 3 / cube, 1e-6);
}

TEST(Gravity, KeepsMomentum) {
  const Bodies bodies = make(512);
  double momentum = 0, size = 0;
  for (std::size_t first = 0; first < bodies.positions.size(); first += kLanes) {
    std::array<std::size_t, kLanes> which{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) which[lane] = first + lane;
    const Accelerations pull = accelerate(bodies.positions, which);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      momentum += static_cast<double>(pull.x[lane]) * bodies.positions[which[lane]].s[3];
      size += std::abs(static_cast<double>(pull.x[lane])) * bodies.positions[which[lane]].s[3];
    }
  }
  EXPECT_LT(std::abs(momentum), 1e-5 * size);
}

TEST(Gravity, AdvancesByTheNewVelocity) {
  Body position = {{1, 2, 3, 9}}, velocity = {{1, 0, 0, 0}};
  advance(position, velocity, 0, 10, 0);
  EXPECT_FLOAT_EQ(velocity.s[1], 10 * kTimeStep);
  EXPECT_FLOAT_EQ(position.s[0], 1 + kTimeStep);
  EXPECT_FLOAT_EQ(position.s[1], 2 + 10 * kTimeStep * kTimeStep);
  EXPECT_FLOAT_EQ(position.s[3], 9);
}

}  // namespace
}  // namespace bench::gravity
