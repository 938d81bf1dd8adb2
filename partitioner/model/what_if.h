// SPDX-License-Identifier: Apache-2.0
// Predictions for launches that have not run: the time on each device, and the partitioner's plan. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partitioner/model/evaluation.h"
#include "partitioner/model/work_estimate.h"
#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// What is known of one kernel. Refers to the samples that it was made from.
struct KnownKernel {
  std::vector<SampleGroup> devices;  // in the order of keys; of each device those of its latest driver and form
  std::vector<const ProfileSample*> samples;  // of all of these
  const ProfileSample* largest = nullptr;     // of the launch with most groups, then most bytes; null: nothing is known
  std::string left_out;                       // what was not taken, and why, for people; "": nothing
};

/// Of samples of one kernel name those that belong together: of the program that was measured last.
KnownKernel known_kernel(std::span<const ProfileSample> samples);

/// Changes to a launch. Empty fields: unchanged.
struct LaunchChange {
  std::vector<std::uint64_t> global, local;  // a number for each dimension
  std::vector<ScalarArgument> scalars;
  std::vector<BufferArgument> buffers;
  std::optional<GroupSpan> groups;  // only these; all otherwise
};

/// A sample of the changed launch without times, its work not counted. An error names the argument, its value and the
/// limit; its code is kNoSuchArgument where the kernel has no such argument.
inline constexpr int kNoSuchArgument = -2;
Result<ProfileSample> changed(const ProfileSample& launch, const LaunchChange& change);

struct DeviceTimes {
  DeviceKey device;
  TimeModel model;
};

struct PlanOutlook {
  std::vector<std::uint64_t> groups;  // of each device
  double seconds = 0.0;               // until the last device has ended
};

/// The time of the paper's decision tree grows with the square of the number of devices: a millisecond for this many.
inline constexpr std::size_t kMaxPaperDevices = 8;

struct Outlook {
  std::vector<TimePrediction> devices;  // each alone with all groups
  /// `automatic` is the partitioner's plan where the models say that it is shorter than `single`, else `single`.
  PlanOutlook automatic, linear, single;
  std::optional<PlanOutlook> paper;            // SKMD_PARTITION=paper; empty for more than kMaxPaperDevices devices
  NotSplit reason = NotSplit::not_profitable;  // why `automatic` keeps it whole, where it does
};

/// Transfers are not counted: times are of kernels alone. Bands cover both ends of the work's band. Precondition:
/// `launch.span` is not empty, `devices` has at most kMaxLines elements.
Outlook outlook(std::span<const DeviceTimes> devices, const ProfileSample& launch, const WorkEstimate& work);

}  // namespace skmd::domain
