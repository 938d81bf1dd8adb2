// SPDX-License-Identifier: Apache-2.0
// Merge rungs 3 and 4: partial results over a common pre-image, joined in host memory by what differs from it, or by
// combining what atomics made of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/scratch.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"

namespace skmd::icd {

/// Joins the partial results of one root of a split launch. What is joined must be valid in host memory when begin()
/// runs, and in every device that may write it before its slice starts.
class Joining {
 public:
  Joining(Machine& machine, Storage& storage, std::size_t root, const domain::MergeDecision& merge);
  /// Keeps the pre-image of what is joined. Before the first slice starts.
  Status begin();
  /// After all slices: fetches each discrete device's bytes and joins them in the shadow; commits residency.
  Status finish(const std::vector<SliceWork>& slices, const std::string& kernel);
  /// Instead of finish(), after a failure: the shadow holds the pre-image again.
  void restore();

 private:
  void join(const std::byte* result, std::byte* merged, const domain::RangeSet& ranges) const;
  Machine& machine_;
  Storage& storage_;
  std::size_t root_;
  const domain::MergeDecision& merge_;
  std::optional<Scratch> before_;
};

}  // namespace skmd::icd
