// SPDX-License-Identifier: Apache-2.0
// From a launch to a plan: the reasons that keep it whole, then the partitioner, then the merge ladder.
#pragma once

#include <optional>
#include <vector>

#include "intercept/launch/eligibility.h"
#include "intercept/launch/launch_view.h"
#include "partitioner/merge.h"
#include "partitioner/partition.h"

namespace skmd::icd {

struct SliceWork {
  std::uint32_t device = 0;
  domain::GroupSpan span;
  std::vector<domain::RootFootprint> footprints;  // per root
};

struct Decision {
  std::vector<SliceWork> slices;          // one: whole
  std::optional<domain::NotSplit> whole;  // set iff one slice
  domain::MergeDecision merge;            // of split launches: per root
  double predicted_seconds = 0.0;
};

/// Pure but for reading residency and the model. `eligible` has at least one device.
Decision decide(Machine& machine, const Launch& launch, const LaunchView& view, const Eligibility& eligible);

/// The reason that keeps this kernel whole whatever its size, or none.
std::optional<domain::NotSplit> confined(const Machine& machine, const Launch& launch, const Eligibility& eligible);

}  // namespace skmd::icd
