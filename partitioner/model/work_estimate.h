// SPDX-License-Identifier: Apache-2.0
// The work of a group in a launch that has not run, from launches of the same kernel whose work was counted. The
// kernel's own expressions (group_work.h) are not kept with samples, only their values at the sizes that ran.
#pragma once

#include <span>
#include <string>

#include "partitioner/model/profile_sample.h"

namespace skmd::domain {

struct WorkBand {
  double value = 0.0;  // of a group; 0: not known
  double low = 0.0, high = 0.0;
};

struct WorkEstimate {
  WorkBand operations, bytes;  // as ProfileSample::group_operations and group_bytes
  std::string how;             // for people, without a full stop; "": counted at this very size
};

/// For a size that was not counted: the work of an item at the nearest counted size, times a power of the one argument
/// or extent that explains the known sizes. If several explain them equally well, the first of scalars, buffers' bytes,
/// global and local sizes gives the value, and all of them together the band. A scalar that has the same value in all
/// known launches may have no influence or a proportional one: the band holds both. Pure; linear in `known`.
WorkEstimate estimate_work(std::span<const ProfileSample* const> known, const ProfileSample& asked);

}  // namespace skmd::domain
