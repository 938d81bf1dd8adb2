// SPDX-License-Identifier: Apache-2.0
// All-pairs gravity on the host.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <vector>

namespace bench::gravity {

using Body = cl_float4;  // position and mass, or velocity and nothing

inline constexpr float kTimeStep = 0.01f;
inline constexpr float kSoftening = 0.05f;

struct Bodies {
  std::vector<Body> positions;
  std::vector<Body> velocities;
};

/// `count` bodies in a ball of radius 1, of total mass 1, slowly moving.
Bodies make(std::size_t count);

/// Accelerations of kLanes bodies at once: what makes the reference fast enough is that compilers vectorise over them.
inline constexpr std::size_t kLanes = 16;
using Lanes = std::array<float, kLanes>;
struct Accelerations {
  Lanes x, y, z;
};
Accelerations accelerate(const std::vector<Body>& positions, const std::array<std::size_t, kLanes>& which);

/// Position and velocity of body `i` one step on, given its acceleration.
void advance(Body& position, Body& velocity, float ax, float ay, float az);

}  // namespace bench::gravity
