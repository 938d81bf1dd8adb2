// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/gravity.h"

#include <algorithm>
#include <cmath>

#include "bench/support/random.h"

namespace bench::gravity {

Bodies make(std::size_t count) {
  Random random(607);
  Bodies bodies;
  while (bodies.positions.size() < count) {
    const float x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
    if (x * x + y * y + z * z > 1.0f) continue;
    bodies.positions.push_back({{x, y, z, 1.0f / static_cast<float>(count)}});
    bodies.velocities.push_back(
        {{random.uniform(-0.1f, 0.1f), random.uniform(-0.1f, 0.1f), random.uniform(-0.1f, 0.1f), 0}});
  }
  return bodies;
}

Accelerations accelerate(const std::vector<Body>& positions, const std::array<std::size_t, kLanes>& which) {
  Accelerations total{};
  Lanes x, y, z;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    x[lane] = positions[which[lane]].s[0];
    y[lane] = positions[which[lane]].s[1];
    z[lane] = positions[which[lane]].s[2];
  }
  // Sums over short stretches are added up apart, so that rounding does not grow with the number of bodies.
  constexpr std::size_t kStretch = 256;
  for (std::size_t first = 0; first < positions.size(); first += kStretch) {
    Accelerations part{};
    const std::size_t last = std::min(first + kStretch, positions.size());
    for (std::size_t j = first; j < last; ++j) {
      const Body other = positions[j];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const float dx = other.s[0] - x[lane], dy = other.s[1] - y[lane], dz = other.s[2] - z[lane];
        const float square = dx * dx + dy * dy + dz * dz + kSoftening;
        const float pull = other.s[3] / (square * std::sqrt(square));
        part.x[lane] += pull * dx;
        part.y[lane] += pull * dy;
        part.z[lane] += pull * dz;
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      total.x[lane] += part.x[lane];
      total.y[lane] += part.y[lane];
      total.z[lane] += part.z[lane];
    }
  }
  return total;
}

void advance(Body& position, Body& velocity, float ax, float ay, float az) {
  const float pull[3] = {ax, ay, az};
  for (int axis = 0; axis < 3; ++axis) {
    velocity.s[axis] += kTimeStep * pull[axis];
    position.s[axis] += kTimeStep * velocity.s[axis];
  }
}

}  // namespace bench::gravity
