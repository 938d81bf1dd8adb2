// SPDX-License-Identifier: Apache-2.0
// What merging costs the host's processors.
#pragma once

#include "partitioner/merge/merge.h"

namespace skmd::icd {

/// On two free processors (docs/results/merge.md), the replay at its worst: 4-byte elements without any order. For
/// atomics, three reads and a write of host memory for each byte of partial values.
inline constexpr domain::MergeCosts kMergeCosts{
    .kernel = {.per_joined = 0.3e-9, .per_stored = 0.05e-9},
    .diff = {.per_joined = 0.05e-9, .per_stored = 0.06e-9},
    .reduce = {.per_joined = 0.05e-9, .per_stored = 0.5e-9},
};

}  // namespace skmd::icd
