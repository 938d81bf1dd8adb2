// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_budget.h"

namespace skmd::icd {

PlanningCosts planning_costs(const SpanFootprint& whole, std::size_t devices) {
  // By bench/micro/partition_bench, doubled: a stencil of 65,794 ranges takes 2.5 ms to evaluate, 0.14 ms to decide how
  // it is merged.
  constexpr double kEvaluating = 80e-9;  // per range
  constexpr double kEvaluation = 5e-6;   // per slice
  constexpr double kLooking = 10e-9;     // per range
  constexpr double kLook = 2e-7;         // per device
  constexpr double kEvaluations = 4;     // of a plan: three rounds of balancing, and what joining costs
  std::size_t ranges = 0;
  std::size_t needed = 0;
  for (std::size_t r = 0; r < whole.roots.size(); ++r) {
    ranges += whole.roots[r].reads.ranges().size() + whole.roots[r].may_write.ranges().size();
    needed += whole.needed[r].ranges().size();
  }
  const auto count = static_cast<double>(devices);
  return {count * (kLook + kLooking * static_cast<double>(needed)),
          kEvaluations * (count * kEvaluation + kEvaluating * static_cast<double>(ranges))};
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
