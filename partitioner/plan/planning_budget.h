// SPDX-License-Identifier: Apache-2.0
// Limits the time of planning to a small part of the time of the planned launches.
#pragma once

#include "partitioner/plan/plan_constants.h"

namespace skmd::domain {

class PlanningBudget {
 public:
  /// Adds to the budget for a launch of `seconds` that is planned, or reuses a plan.
  void launched(double seconds) { left_ += tuning::kPlanningPart * seconds; }
  /// True if planning of `seconds` fits the budget. Up to tuning::kFreePlanning it always does.
  [[nodiscard]] bool affords(double seconds) const { return seconds <= tuning::kFreePlanning || seconds <= left_; }
  /// The same for a first launch of `launch` seconds whose times are known from former processes: later launches will
  /// pay for it.
  [[nodiscard]] bool affords_first(double seconds, double launch) const {
    return affords(seconds) || seconds <= tuning::kFirstPlanningPart * launch;
  }
  void spend(double seconds) {
    if (seconds > tuning::kFreePlanning) left_ = left_ > seconds ? left_ - seconds : 0.0;
  }

 private:
  double left_ = 0.0;
};

}  // namespace skmd::domain
