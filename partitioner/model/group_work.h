// SPDX-License-Identifier: Apache-2.0
// The work of a work-group, computed from the kernel's own expressions: h of equation 4 (SKMD, TOCS 2015, section 3.3),
// known before the kernel has run.
#pragma once

#include <span>

#include "partitioner/footprint/footprint.h"

namespace skmd::domain {

/// Means over a launch's groups. 0: not known, because neither ids nor arguments bound a trip count or a length,
/// because the bytes belong to images, or because the compiler cannot analyse the code.
struct GroupWork {
  double operations = 0.0;  // that its work-items execute, weighted as in KernelTraits::operations
  double bytes = 0.0;       // of global memory that its accesses move, caches left aside
  /// The numbers above are of loops that run as long as they may: data decides how long they do (kFactDataDecidesWork),
  /// for each group anew.
  bool data_decides = false;
};

/// From a group in the middle of each third of the launch, along all dimensions at once. Conditions on ids and
/// iterations count by the share of the work-items that they let through; others count as met. A trip count that
/// differs between items counts in the mean of its least and most. Microseconds; pure. Precondition: arguments.size()
/// == traits.parameters.size().
GroupWork group_work(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments);

}  // namespace skmd::domain
