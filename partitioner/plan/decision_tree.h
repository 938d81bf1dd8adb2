// SPDX-License-Identifier: Apache-2.0
// SKMD_PARTITION=paper: performance variation-aware partitioning, SKMD (TOCS 2015), section 3.4, Algorithm 1, with the
// costs that the paper counts. Where the listing and the text differ the text is followed
// (docs/decisions/algorithm-1-follows-its-text.md).
#pragma once

#include <cstdint>

#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// All groups begin on the fastest device; step by step some are offloaded to the device that balances best, as long as
/// the launch as a whole is estimated to end earlier. `equal` while an eligible device is not measured. O(k²·N) for k
/// devices and N steps. Preconditions: request.paper is set; two groups and two eligible devices at least.
Plan decision_tree(const PartitionRequest& request);

}  // namespace skmd::domain
