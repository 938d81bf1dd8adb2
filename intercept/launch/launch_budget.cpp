// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_budget.h"

#include "intercept/launch/decision_constants.h"

namespace skmd::icd {

using namespace tuning;

PlanningCosts planning_costs(const SpanFootprint& whole, std::size_t devices) {
  std::size_t ranges = 0;
  std::size_t needed = 0;
  for (std::size_t r = 0; r < whole.roots.size(); ++r) {
    ranges += whole.roots[r].reads.ranges().size() + whole.roots[r].may_write.ranges().size();
    needed += whole.needed[r].ranges().size();
  }
  const auto count = static_cast<double>(devices);
  return {count * (kDeviceLook + kRangeLook * static_cast<double>(needed)),
          kEvaluations * (count * kSliceEvaluation + kRangeEvaluation * static_cast<double>(ranges))};
}

void LaunchBudget::launched(double seconds) {
  const MutexGuard lock(mutex_);
  budget_.launched(seconds);
}

bool LaunchBudget::may_look(double seconds, double look) {
  const MutexGuard lock(mutex_);
  budget_.launched(seconds);
  if (!budget_.affords(look)) return false;
  budget_.spend(look);
  return true;
}

bool LaunchBudget::affords(double seconds) const {
  const MutexGuard lock(mutex_);
  return budget_.affords(seconds);
}

bool LaunchBudget::affords_first(double seconds, double launch) const {
  const MutexGuard lock(mutex_);
  return budget_.affords_first(seconds, launch);
}

void LaunchBudget::spend(double seconds) {
  const MutexGuard lock(mutex_);
  budget_.spend(seconds);
}

void LaunchBudget::inherit(const LaunchBudget& before) {
  const MutexGuard lock(before.mutex_);
  budget_ = before.budget_;
}

}  // namespace skmd::icd
