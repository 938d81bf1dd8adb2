// SPDX-License-Identifier: Apache-2.0
// The automatic mode of partition(): all devices finish at the same predicted moment, or one device runs everything.
#pragma once

#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// Predicted seconds of the slowest slice, including joining; 0 if a device that takes part is not measured.
double predicted_seconds(const PartitionRequest& request, std::span<const Slice> slices);

/// Precondition: at least two groups and two eligible devices.
Plan balanced(const PartitionRequest& request);

}  // namespace skmd::domain
