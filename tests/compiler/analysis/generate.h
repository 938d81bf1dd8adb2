// SPDX-License-Identifier: Apache-2.0
// Random kernels: index arithmetic of mixed types, clamps, guards, loops with breaks and symbolic steps, moving
// pointers.
#pragma once

#include <random>

#include "tests/compiler/analysis/program.h"

namespace skmd::test {

/// The same kernel for the same seed. Most addresses lie inside the buffers for small launches.
Kernel generate(std::uint64_t seed, const std::string& name);

}  // namespace skmd::test
