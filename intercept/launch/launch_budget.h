// SPDX-License-Identifier: Apache-2.0
// What the launches of one shape may spend on deciding, and what deciding is estimated to cost.
#pragma once

#include <cstddef>

#include "intercept/launch/decision.h"
#include "partitioner/base/mutex.h"
#include "partitioner/plan/planning_budget.h"

namespace skmd::icd {

/// Seconds: estimates by the number of ranges of a launch's footprint, so that a pause of the machine is not taken for
/// a cost.
struct PlanningCosts {
  double checking = 0.0;  // looking at rates and residency
  double planning = 0.0;  // evaluating the footprints of a split's plan
};
/// Of a launch that touches `whole` and that so many devices could take. Pure.
PlanningCosts planning_costs(const SpanFootprint& whole, std::size_t devices);

/// Thread-safe.
class LaunchBudget {
 public:
  /// A launch for which `seconds` are predicted comes, and looking at rates and residency would cost `look`. True: it
  /// may be done, and is counted.
  [[nodiscard]] bool may_look(double seconds, double look);
  /// A launch for which `seconds` are predicted comes, and is looked at in any case.
  void launched(double seconds);
  /// As of domain::PlanningBudget.
  [[nodiscard]] bool affords(double seconds) const;
  [[nodiscard]] bool affords_first(double seconds, double launch) const;
  void spend(double seconds);

  /// Takes over what is left of `before`. Precondition: no other thread has this one yet.
  void inherit(const LaunchBudget& before) SKMD_NOT_ANALYSED;  // no other thread has this one yet

 private:
  mutable Mutex mutex_{LockRank::launch_budget};
  domain::PlanningBudget budget_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::icd
