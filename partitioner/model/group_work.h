// SPDX-License-Identifier: Apache-2.0
// How much a work-group does, by the kernel's own expressions: h of equation 4 (SKMD, TOCS 2015, section 3.3), known
// before anything ran.
#pragma once

#include <span>

#include "partitioner/footprint.h"

namespace skmd::domain {

/// In the mean over a launch's groups; 0: not known, because a trip count or a length is decided by memory.
struct GroupWork {
  double operations = 0.0;  // accesses to global memory that its work-items execute, and 1 for each item
  double bytes = 0.0;       // that these accesses move
};

/// From the first, middle and last group. Accesses under conditions count as if these held. Microseconds; pure.
/// Precondition: arguments.size() == traits.parameters.size().
GroupWork group_work(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments);

}  // namespace skmd::domain
