// SPDX-License-Identifier: Apache-2.0
// Predicted times of slices, in seconds: SKMD (TOCS 2015), section 3.4, with the bytes that really move instead of
// whole buffers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// True if the model has a finite, positive rate for this kernel.
bool is_measured(const DeviceModel& device);

/// The request's devices: each as former processes knew it, where plans do not go by that and this process has not
/// measured a notable part of the launch; else as it is.
std::vector<DeviceModel> as_formerly_known(const PartitionRequest& request);

/// Seconds in which a measured device runs all groups of a launch, transfers aside.
double whole_seconds(const DeviceModel& model, std::uint64_t groups);

struct MovingSeconds {
  double linked = 0.0;  // over the device's link
  double copied = 0.0;  // inside host memory
  [[nodiscard]] double sum() const { return linked + copied; }
};
/// Seconds for moving the bytes that `device` needs for `span`, and those that it writes; infinite over a dead link.
MovingSeconds seconds_to(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);
MovingSeconds seconds_from(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// The sum of both.
double moving_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// Seconds in which a measured device runs `groups`, launch included.
double running_seconds(const PartitionRequest& request, std::uint32_t device, std::uint64_t groups);

/// The same plus the cost of the slice's further boxes.
double running_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// Running and moving, for a measured device; 0 for the empty span.
double finish_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span);

/// The device that would finish the whole launch first, among those that ran enough of the kernel to tell.
struct Alone {
  std::uint32_t device = 0;
  double seconds = 0.0;        // with results moved to host memory
  double local_seconds = 0.0;  // results left on the device
};
std::optional<Alone> best_alone(const PartitionRequest& request);

/// What a device takes for the whole launch, from below and from above.
struct AloneBounds {
  std::uint32_t device = 0;
  double seconds = 0.0;          // a lower bound, with the transfers before and after it
  double running_seconds = 0.0;  // without them
  double at_most = 0.0;          // with them, by the rate that was measured
  double at_most_running = 0.0;
};
/// A device of the same make comes before device `d` among the eligible ones (DeviceModel::likeness).
bool has_twin_before(std::span<const DeviceModel> devices, std::uint32_t d);

/// One for each eligible device that is measured, now or formerly, the first of several of one make. A device that has
/// not run half of the launch may be four times as fast as it looks, or as fast as the fastest; where less is expected
/// of it, an eighth as fast as that. Empty where this process has measured no device.
std::vector<AloneBounds> alone_bounds(const PartitionRequest& request);

/// The device for a kernel without measurements: one of about the highest expected throughput, by preference where the
/// bytes are, then the anchor. Precondition: an eligible device.
std::uint32_t unknown_kernels_device(const PartitionRequest& request);

}  // namespace skmd::domain
