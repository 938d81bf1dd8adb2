// SPDX-License-Identifier: Apache-2.0
// What the groups of a launch touch, by its geometry, scalars and views alone.
#pragma once

#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/footprint_cache.h"
#include "intercept/launch/launch_arguments.h"
#include "intercept/launch/svm_facts.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/base/byte_ranges.h"
#include "partitioner/footprint/roots.h"
#include "partitioner/merge/reduce.h"

namespace skmd::icd {

/// Thread-safe.
class LaunchFootprints {
 public:
  /// Keeps references to the launch's kernel and to `arguments`.
  LaunchFootprints(const Launch& launch, const LaunchArguments& arguments);

  [[nodiscard]] const SharedFootprint& whole() const { return whole_; }
  /// The footprint of `span`; recent ones are remembered.
  SharedFootprint of(const domain::GroupSpan& span);
  /// What the groups of `span` touch by atomics and otherwise, per root. Not remembered.
  [[nodiscard]] std::vector<domain::AtomicFootprint> atomics(const domain::GroupSpan& span) const;

 private:
  /// What `span` touches, image rows rounded; then with the launch's gaps closed, and what follows from it.
  [[nodiscard]] std::vector<domain::RootFootprint> roots_of(const domain::GroupSpan& span) const;
  [[nodiscard]] SharedFootprint closed(std::vector<domain::RootFootprint> roots) const;
  void add_unanalysed(std::vector<domain::RootFootprint>& roots) const;
  void round_images(std::vector<domain::RootFootprint>& roots) const;

  const BuiltKernel& kernel_;
  const domain::NdRange range_;
  const LaunchArguments& arguments_;
  const SvmFacts svm_;
  std::vector<domain::RangeSet> gaps_;  // per root: gaps between rows that slices close (row_gaps.h)
  SharedFootprint whole_;
  FootprintCache cache_;
};

}  // namespace skmd::icd
