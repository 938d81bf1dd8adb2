// SPDX-License-Identifier: Apache-2.0
// The footprints of the spans that a launch was divided into last.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/decision_constants.h"
#include "partitioner/base/mutex.h"
#include "partitioner/base/nd_range.h"

namespace skmd::icd {

/// Thread-safe. Keeps kSpansPerShape spans; a further one takes the place of the one that was kept first.
class FootprintCache {
 public:
  /// What is kept of `span`; else what `evaluate()` returns, which is kept. It is called without a lock: threads that
  /// ask for the same span at the same time may each evaluate it.
  template <class Evaluate>
  SharedFootprint get(const domain::GroupSpan& span, const Evaluate& evaluate) {
    if (SharedFootprint known = find(span)) return known;
    SharedFootprint made = evaluate();
    keep(span, made);
    return made;
  }

 private:
  SharedFootprint find(const domain::GroupSpan& span) {
    const MutexGuard lock(mutex_);
    for (const auto& [known, footprint] : spans_)
      if (known == span) return footprint;
    return nullptr;
  }
  void keep(const domain::GroupSpan& span, const SharedFootprint& footprint) {
    const MutexGuard lock(mutex_);
    if (spans_.size() < tuning::kSpansPerShape) {
      spans_.emplace_back(span, footprint);
      return;
    }
    spans_[oldest_] = {span, footprint};
    oldest_ = (oldest_ + 1) % tuning::kSpansPerShape;
  }

  Mutex mutex_{LockRank::footprint_cache};
  std::vector<std::pair<domain::GroupSpan, SharedFootprint>> spans_ SKMD_GUARDED_BY(mutex_);
  std::size_t oldest_ SKMD_GUARDED_BY(mutex_) = 0;
};

}  // namespace skmd::icd
