// SPDX-License-Identifier: Apache-2.0
// What was decided of a launch: its slices, what they touch, and how their results are joined.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "partitioner/base/byte_ranges.h"
#include "partitioner/base/nd_range.h"
#include "partitioner/footprint/roots.h"
#include "partitioner/merge/merge.h"
#include "partitioner/model/model.h"
#include "partitioner/model/round_times.h"
#include "partitioner/plan/partition.h"
#include "partitioner/plan/prediction.h"
#include "partitioner/residency/residency.h"

namespace skmd::icd {

/// What the groups of one span touch, per root buffer, aliases joined.
struct SpanFootprint {
  std::vector<domain::RootFootprint> roots;
  /// What must be valid on a device before it runs: reads, and old bytes under writes that are not sure.
  std::vector<domain::RangeSet> needed;
  /// The part of it that the span may write: a run that fails destroys it.
  std::vector<domain::RangeSet> in_place;
};
using SharedFootprint = std::shared_ptr<const SpanFootprint>;

struct SliceWork {
  std::uint32_t device = 0;
  domain::GroupSpan span;
  SharedFootprint touches;
  bool is_chunk = false;           // of a dealt launch: the model is told of all chunks of a device together
  double predicted_seconds = 0.0;  // that the device runs it; 0: not known
};

struct Dealing;

/// A plan and how its results are joined.
struct Decision {
  std::vector<SliceWork> slices;           // one: whole
  std::optional<domain::NotSplit> whole;   // set iff one slice
  domain::MergeDecision merge;             // of split launches: per root
  std::shared_ptr<const Dealing> dealing;  // set: devices begin with their slices, in chunks, and help each other
  double predicted_seconds = 0.0;
  double alone_seconds = 0.0;  // as in Plan, like what follows
  double alone_round_seconds = 0.0;
  domain::Missed missed;
  std::vector<domain::RoundTimes::Candidate> candidates;  // the launch whole on each device whose time can be predicted
  std::vector<domain::AloneBounds> alone_bounds;          // the launch whole
  bool movable = false;                                   // whole on any eligible device the launch would be as right
  bool exploring = false;
  bool unsettled = false;
  bool moves_in = false;
  domain::ModelSource source = domain::ModelSource::none;
  /// Set: the launch is whole where its bytes are, and the next one like it is expected to follow this plan, so that
  /// what is written for it is sent to the plan's devices (postponed_split.h).
  std::shared_ptr<const Decision> next;
};

/// The devices that take part, which tell plans of one shape apart.
inline domain::RoundTimes::Devices devices_of(const Decision& decision) {
  domain::RoundTimes::Devices devices = 0;
  for (const SliceWork& slice : decision.slices) devices |= domain::RoundTimes::Devices{1} << slice.device;
  return devices;
}

/// The link to another machine as plans count it, assumed until it is measured. All 0: the device is in this machine.
struct FarLink {
  double round_trip = 0;    // seconds
  double to = 0, from = 0;  // bytes per second
};

/// What a decision of the measuring modes rested on: while none of it changes, the decision stands.
struct DecisionBasis {
  bool known = false;   // the decision is settled, and explores nothing
  bool barred = false;  // splits are barred
  std::uint32_t read_rhythm = 0;
  std::optional<std::uint32_t> behind;  // PartitionRequest::behind
  std::uint64_t behind_before = 0;      // devices that it was in this decision and those before, a bit each
  std::array<double, domain::kMaxSpaces> groups_per_second{};
  std::array<std::uint64_t, domain::kMaxSpaces> missing_bytes{};  // of the whole launch, per device
  std::array<FarLink, domain::kMaxSpaces> far_links{};            // per device
};

}  // namespace skmd::icd
