// SPDX-License-Identifier: Apache-2.0
// How the results of a split launch are joined: the merge ladder, asked about what lies in which memory.
#pragma once

#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/merge/merge.h"

namespace skmd::icd {

/// The rung for each root of a launch that is split into `slices`. Loads the kernel's merge function if rung 2 is
/// chosen; if there is none, chooses again without that rung.
domain::MergeDecision how_to_merge(const Machine& machine, const Launch& launch, const LaunchView& view,
                                   const std::vector<SliceWork>& slices);

}  // namespace skmd::icd
