// SPDX-License-Identifier: Apache-2.0
// The automatic mode of partition(): all devices finish at the same predicted moment, or one device runs everything.
#pragma once

#include <optional>

#include "partitioner/partition.h"

namespace skmd::domain {

/// Whether the model's rate can be used for predictions.
bool is_measured(const DeviceModel& device);

/// Predicted time of the slowest slice, joining included; 0 if a device that takes part is not measured.
double predicted_seconds(const PartitionRequest& request, std::span<const Slice> slices);

/// The measured device that would finish the whole launch first.
std::optional<std::uint32_t> fastest_whole(const PartitionRequest& request);

/// Precondition: at least two groups and two eligible devices. `home` runs what nobody has measured yet.
Plan balanced(const PartitionRequest& request, std::uint32_t home);

}  // namespace skmd::domain
