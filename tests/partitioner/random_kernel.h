// SPDX-License-Identifier: Apache-2.0
// Random kernels: every operation, widths from 1 to 64 bits, guards, loops, counts. The same seed gives the same
// kernel.
#pragma once

#include <random>

#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {

struct RandomCase {
  KernelBuilder kernel;
  NdRange range;
  GroupSpan span;
};

/// `tame`: expressions as kernels have them, so that footprints are tight often; else anything goes.
RandomCase random_case(std::uint64_t seed, bool tame);

}  // namespace skmd::domain::test
