// SPDX-License-Identifier: Apache-2.0
// The time of a launch's slices by phase of a round: the application writes the launch's inputs, the launch runs, the
// application reads the results. Each phase takes as long as its slowest device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// Seconds.
struct Phases {
  double before = 0.0;   // transfers to the device before the launch
  double running = 0.0;  // transfers that the launch waits for, and the slice itself
  double after = 0.0;    // transfers of results to host memory
  double copying = 0.0;  // inside host memory, before and after: by one device's slice after the other's
  // Of a device that shares its link:
  double arriving = 0.0;   // transfers that the launch waits for, which `running` then leaves out
  double latency = 0.0;    // part of each of its transfers that those of the link's other devices share
  std::uint32_t link = 0;  // DeviceModel::shared_link
  [[nodiscard]] double sum() const { return before + arriving + running + after + copying; }
};

/// The phases of several slices together. Slices whose devices share a link take its transfers one after the other; as
/// they are sent in turns, every device has its bytes when the last one has.
class SlowestPhases {
 public:
  void add(const Phases& slice);
  /// A slice grows from one of `before`, which was added, to one of `after`.
  void replace(const Phases& before, const Phases& after);
  [[nodiscard]] double seconds() const { return slowest_.sum(); }
  /// seconds() after replace(before, after), which is not done.
  [[nodiscard]] double seconds_with(const Phases& before, const Phases& after) const;
  /// The part of seconds() outside the launch.
  [[nodiscard]] double around() const { return slowest_.sum() - slowest_.running; }

 private:
  /// The phases of a shared link's slices: sums of transfers, and the longest run.
  struct Link {
    std::uint32_t link = 0;
    double before = 0.0, arriving = 0.0, running = 0.0, after = 0.0;
    void grow(const Phases& from, const Phases& to);
    [[nodiscard]] Phases phases() const { return {before, arriving + running, after}; }
  };
  /// The place in links_, or its size.
  [[nodiscard]] std::size_t place_of(std::uint32_t link) const;
  /// replace() with `link` as what is known of the slices' link, which is changed.
  static void replace(Phases& slowest, Link& link, const Phases& before, const Phases& after);
  static void raise(Phases& slowest, const Phases& slice);

  Phases slowest_;
  std::vector<Link> links_;
};

/// Whether the bytes that a launch waits for must still be moved (`now`, as for the next launch) or are on the devices
/// already (`there`, as for later launches of a loop that leaves its bytes there).
enum class Arriving : std::uint8_t { now, there };

/// Phases of the slices of one launch. Keeps a reference to the request. Not thread-safe.
class PhaseCosts {
 public:
  explicit PhaseCosts(const PartitionRequest& request, Arriving arriving = Arriving::now);
  /// The transfers of a slice, without running it.
  Phases moving(std::uint32_t device, const GroupSpan& span);
  /// All phases of a slice. Precondition: `device` is measured. Zeros for the empty span.
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
