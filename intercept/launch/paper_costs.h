// SPDX-License-Identifier: Apache-2.0
// What SKMD_PARTITION=paper counts of a launch: the sizes of its buffers, wherever their bytes are.
#pragma once

#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// SKMD (TOCS 2015), section 3.4. Pure.
domain::PaperCosts paper_costs(const Machine& machine, const Launch& launch, const LaunchView& view);

}  // namespace skmd::icd
