// SPDX-License-Identifier: Apache-2.0
// How the results of a split launch are joined: the merge ladder, asked about what lies in which memory.
#pragma once

#include <vector>

#include "intercept/launch/launch_view.h"
#include "partitioner/merge.h"

namespace skmd::icd {

domain::MergeDecision how_to_merge(const Machine& machine, const Launch& launch, const LaunchView& view,
                                   const std::vector<SliceWork>& slices);

}  // namespace skmd::icd
