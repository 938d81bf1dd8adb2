// SPDX-License-Identifier: Apache-2.0
// What slices of a launch take, in the phases of a round: the application writes what the launch needs, the launch
// runs, the application reads the results. In each of them the slowest device is waited for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/partition.h"

namespace skmd::domain {

/// Seconds.
struct Phases {
  double before = 0.0;   // what is sent before the launch gets to the device
  double running = 0.0;  // what is sent then, and the slice itself
  double after = 0.0;    // its results get home
  double copying = 0.0;  // inside host memory, before and after: by one device's slice after the other's
  [[nodiscard]] double sum() const { return before + running + after + copying; }
};

/// The phases of several slices together.
class SlowestPhases {
 public:
  void add(const Phases& slice);
  /// A slice grows from one of `before`, which was added, to one of `after`.
  void replace(const Phases& before, const Phases& after);
  [[nodiscard]] double seconds() const { return slowest_.sum(); }
  /// What of that is not the launch.
  [[nodiscard]] double around() const { return slowest_.sum() - slowest_.running; }

 private:
  Phases slowest_;
};

/// Whether what a launch waits for has to arrive, as for the next launch, or is there, as for those behind it in a loop
/// that leaves its bytes on the devices.
enum class Arriving : std::uint8_t { now, there };

/// Of the slices of one launch. Refers to the request.
class PhaseCosts {
 public:
  explicit PhaseCosts(const PartitionRequest& request, Arriving arriving = Arriving::now);
  /// Without running the slice.
  Phases moving(std::uint32_t device, const GroupSpan& span);
  /// Of a measured device; zeros for the empty span.
  Phases of(std::uint32_t device, const GroupSpan& span);
  /// Of slices of measured devices together, without what a split costs.
  SlowestPhases together(std::span<const Slice> slices);

 private:
  /// Part of a device's bytes that is sent before the launch.
  double part_before(std::uint32_t device);

  const PartitionRequest& request_;
  const Arriving arriving_;
  std::vector<double> part_before_;  // per device; negative: not asked for yet
};

}  // namespace skmd::domain
