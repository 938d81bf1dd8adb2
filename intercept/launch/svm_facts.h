// SPDX-License-Identifier: Apache-2.0
// What follows for a launch's footprints from shared virtual memory.
#pragma once

#include <vector>

#include "intercept/launch/launch_arguments.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/base/nd_range.h"
#include "partitioner/footprint/roots.h"

namespace skmd::icd {

/// The roots of which a launch may touch any byte, by pointers that it finds in memory. Immutable.
class SvmFacts {
 public:
  /// Keeps a reference to `arguments`.
  SvmFacts(const Launch& launch, const LaunchArguments& arguments);

  /// Adds all bytes of these roots to `roots`, as read and perhaps written.
  void add_open(std::vector<domain::RootFootprint>& roots) const;

 private:
  const LaunchArguments& arguments_;
  std::vector<bool> open_;  // per root; empty: there is none
};

/// Whether a merge function of the launch would have to look before an argument's own address, which it does not.
bool reaches_back(const BuiltKernel& kernel, const domain::NdRange& range, const LaunchArguments& arguments);

}  // namespace skmd::icd
