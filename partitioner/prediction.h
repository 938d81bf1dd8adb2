// SPDX-License-Identifier: Apache-2.0
// How long slices are expected to take.
#pragma once

#include <optional>

#include "partitioner/partition.h"

namespace skmd::domain {

/// Whether the model's rate can be used for predictions.
bool is_measured(const DeviceModel& device);

struct MovingSeconds {
  double linked = 0.0;  // over the device's link
  double copied = 0.0;  // inside host memory
  [[nodiscard]] double sum() const { return linked + copied; }
};
/// Of what `device` needs for `span`, and of what it writes.
MovingSeconds seconds_to(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);
MovingSeconds seconds_from(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// Seconds in which what `device` needs for `span` gets there and what it writes gets home; infinite over a dead link.
double moving_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// Seconds in which a measured device runs `groups`, launch included.
double running_seconds(const PartitionRequest& request, std::uint32_t device, std::uint64_t groups);

/// The same with what the cuts of the slice cost.
double running_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// Running and moving, for a measured device; 0 for the empty span.
double finish_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// The device that would finish the whole launch first, among those that ran enough of the kernel to tell.
struct Alone {
  std::uint32_t device = 0;
  double seconds = 0.0;        // results brought home
  double local_seconds = 0.0;  // results left on the device
};
std::optional<Alone> best_alone(const PartitionRequest& request);

/// Where a kernel runs that nobody has measured: on a device of which about the highest throughput is expected, by
/// preference where the bytes are, then on the anchor. Precondition: an eligible device.
std::uint32_t unknown_kernels_device(const PartitionRequest& request);

}  // namespace skmd::domain
