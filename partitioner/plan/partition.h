// SPDX-License-Identifier: Apache-2.0
// Which device gets which groups. Pure: values in, a plan out, in microseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partitioner/base/nd_range.h"
#include "partitioner/base/result.h"
#include "partitioner/plan/not_split.h"

namespace skmd::domain {

enum class PartitionMode : std::uint8_t { automatic, equal, linear, paper, dynamic, single, fixed };

/// True if plans of the mode depend on measured times.
constexpr bool goes_by_times(PartitionMode mode) {
  return mode == PartitionMode::automatic || mode == PartitionMode::linear || mode == PartitionMode::paper ||
         mode == PartitionMode::dynamic;
}

/// The mode's name in SKMD_PARTITION, without the part after a colon.
std::string_view name(PartitionMode mode);

/// SKMD_PARTITION, parsed.
struct PartitionPolicy {
  PartitionMode mode = PartitionMode::automatic;
  int single_index = -1;        // single:INDEX; -1 = the anchor
  std::vector<double> percent;  // fixed:P0,P1,…
  std::uint64_t minimum = 0;    // dynamic:MIN, groups of a chunk; 0: one for each compute unit
};

/// `auto`, `equal`, `linear`, `paper`, `dynamic`, `dynamic:MIN`, `single`, `single:INDEX`, `fixed:P0,P1,…` (one
/// percentage per device, sum 100 ± 0.01). Anything else is an error that names the value.
Result<PartitionPolicy> parse_policy(std::string_view text, std::size_t device_count);

struct Slice {
  std::uint32_t device = 0;  // index in the order of `devices`
  GroupSpan span;
  bool operator==(const Slice&) const = default;
};

/// The source of a predicted time, in ascending order of doubt.
enum class ModelSource : std::uint8_t {
  none,      // nothing is predicted
  process,   // what this process measured
  database,  // samples of the profile database
  shipped,   // samples that came with SKMD
};

/// A plan that would be better for every launch after the next one; the next launch would have to pay for moving its
/// bytes.
struct Missed {
  double seconds = 0.0;        // that launches have lost since such a plan was known
  unsigned ways = 0;           // of bytes that were taken for such plans
  std::uint64_t launches = 0;  // of this plan and the ones before it whose loss is not in `seconds` yet
};

/// Slices ascend by span, tile [0, groups) and are never empty; in `dynamic` they are where each device begins. One
/// slice: the launch is whole, `reason` says why.
struct Plan {
  std::vector<Slice> slices;
  NotSplit reason = NotSplit::not_profitable;  // meaningful with one slice
  double predicted_seconds = 0.0;              // 0: nothing was predicted
  /// Predicted seconds of the launch on the best single device, results left there; of a split, the longest launch for
  /// which the round is not longer than that device's. 0: not known.
  double alone_seconds = 0.0;
  double alone_round_seconds = 0.0;  // of its whole round, with transfers before and after; 0: not known
  Missed missed = {};                // handed on from plan to plan
  bool exploring = false;            // some slices serve exploration
  bool unsettled = false;            // rates of this kernel are still being measured: plan again for the next launch
  bool moves_in = false;             // it moves bytes for the launches after this one, which by itself is not worth it
  ModelSource source = ModelSource::none;  // of predicted_seconds: the most doubtful of the slices' models
};

inline constexpr std::uint64_t kAnySpan = ~std::uint64_t{0};

/// The time of transfers of different sizes on one link. Small ones take latency_seconds + bytes / (small_part · the
/// link's rate); large ones, which threads of the host copy through page-locked memory, bulk_seconds + bytes / the
/// link's rate. The smaller of the two counts. All zero: bytes / the link's rate.
struct LinkShape {
  double latency_seconds = 0.0;
  double small_part = 0.0;  // 0: all transfers are large ones
  double bulk_seconds = 0.0;
};

/// The model of one device for one kernel.
struct DeviceModel {
  bool eligible = true;
  bool measured = false;  // groups_per_second comes from this kernel on this device, by this process or a former one
  ModelSource source = ModelSource::none;
  double groups_per_second = 0.0;
  /// Groups of the longest span that the rate comes from. Longer spans are assumed to be no slower per group, since
  /// overheads weigh less in them, but are not measured.
  std::uint64_t measured_groups = kAnySpan;
  double whole_groups_per_second = 0.0;  // of launches that it ran alone, which may fill it better; 0: as above
  /// Groups per second, at least, by a first use, which may hold a compilation; 0: none was seen.
  double first_use_groups_per_second = 0.0;
  std::uint64_t units = 1;         // groups that run at once, at least: fewer take as long as so many
  double strength = 1.0;           // throughput expected of any kernel, as a ratio to that of other devices
  std::uint64_t likeness = 0;      // devices of which it is the same, and not 0, are expected to be equally fast
  double first_use_seconds = 0.0;  // what its first slice of this kernel is expected to cost beyond running it
  double launch_seconds = 0.0;     // fixed cost of a slice of one box
  double box_seconds = 0.0;        // that each further box of a slice costs
  double bytes_to_per_second = 1e10;
  double bytes_from_per_second = 1e10;
  LinkShape link;  // of both directions
  /// Devices of which it is the same, and not 0, have one link together, as those of another host do: their transfers
  /// take the sum of their times, with one latency (LinkShape::bulk_seconds). 0: a link of its own.
  std::uint32_t shared_link = 0;
  double relative_error = 0.2;  // spread of the measured rate
  /// In which the device runs the whole launch by times of former processes that plans do not go by: whole launches may
  /// be tried on it. 0: there are none, or this process knows better.
  double former_seconds = 0.0;
};

/// Totals over the launches of one kernel in one size class (LaunchLedger).
struct Experience {
  double seconds = 0.0;       // of the launches, or of the best single device where that is less
  double lost_seconds = 0.0;  // beyond what that device would have taken
  bool split_barred = false;  // no splits for now: they were predicted to win, and lost
  unsigned changes = 0;       // times that a device was found to have become faster or slower
};

/// The costs of a launch as SKMD (TOCS 2015), section 3.4, counts them: sizes of whole buffers, independent of
/// residency.
struct PaperCosts {
  bool contiguous = false;       // AccessClass: a device is sent its part of the buffers, otherwise all of them
  std::uint64_t bytes_in = 0;    // of the buffers that the kernel reads
  std::uint64_t bytes_out = 0;   // of those that it writes
  double join_seconds = 0.0;     // of a discontiguous kernel's outputs: bytes_out over the host memory's bandwidth
  std::vector<bool> external{};  // of each device: it has a memory of its own
};

/// Bytes that move before or after a span.
struct Moving {
  std::uint64_t linked = 0;  // bytes, between host memory and the device's own
  std::uint64_t copied = 0;  // bytes, inside host memory: between the application's memory and ours
  Moving() = default;
  Moving(std::uint64_t bytes) : linked(bytes) {}  // NOLINT(google-explicit-constructor): nothing is copied
  Moving(std::uint64_t over_link, std::uint64_t in_host) : linked(over_link), copied(in_host) {}
};

struct PartitionRequest {
  PartitionPolicy policy;
  std::uint32_t anchor = 0;
  std::uint64_t groups = 0;
  /// Of each dimension, for counting boxes. Zeros: each slice is one box.
  Extent3 group_counts{0, 0, 0};
  std::span<const DeviceModel> devices;
  /// Bytes that would move if `device` ran `span`, by present residency: to the device before, and from it weighted by
  /// how often results are read. Of what the application writes for each launch, `bytes_to` counts all that the device
  /// needs.
  std::function<Moving(std::uint32_t device, const GroupSpan&span)> bytes_to, bytes_from;
  double host_bytes_per_second = 0.0;  // of Moving::copied; 0: copies cost nothing
  /// Of `bytes_to` for the whole launch, those that are not sent before the launch; empty: all of them.
  std::function<std::uint64_t(std::uint32_t device)> bytes_awaited;
  /// The device whose launch used bytes of this one's last, if the application has not written or read them since; on
  /// any other one it begins `hand_over_seconds` later.
  std::optional<std::uint32_t> behind;
  double hand_over_seconds = 0.0;
  /// Seconds that any split costs, independent of its slices.
  double split_seconds = 0.0;
  /// Seconds more that joining its results costs (none: 0). Asked for at most once, when a split is within reach.
  std::function<double()> joining_seconds;
  /// Seconds that calling bytes_to and bytes_from for a split's spans costs. Without `may_search` they are not called
  /// for new splits, and no new split is found.
  double planning_seconds = 0.0;
  bool may_search = true;
  Experience experience;
  /// Groups. Spans are cut at multiples of this where that loses little (row_of_groups(): slabs stay contiguous). 1:
  /// anywhere.
  std::uint64_t granularity = 1;
  const Plan* previous = nullptr;     // preferred when a new plan gains little
  const PaperCosts* paper = nullptr;  // of mode `paper`, which needs them
};

/// `equal` gives device k of n the groups from floor(k·G/n) to floor((k+1)·G/n), over eligible devices; `fixed`
/// likewise by percent; `linear` in proportion to the measured rates, transfers ignored; `paper` by the paper's
/// decision tree (decision_tree.h), and `equal` while a device is not measured; `automatic` minimises the predicted
/// time and explores unmeasured devices with small slices. Every group is in exactly one slice.
Plan partition(const PartitionRequest& request);

/// The device on which `automatic` runs a launch that must stay whole. Precondition: an eligible device.
std::uint32_t whole_device(const PartitionRequest& request);

}  // namespace skmd::domain
