// SPDX-License-Identifier: Apache-2.0
// Limits the time of planning to a small part of the time of the planned launches.
#pragma once

namespace skmd::domain {

class PlanningBudget {
 public:
  /// Adds to the budget for a launch of `seconds` that is planned, or reuses a plan.
  void launched(double seconds) { left_ += kPart * seconds; }
  /// True if planning of `seconds` fits the budget. Up to kFree it always does.
  [[nodiscard]] bool affords(double seconds) const { return seconds <= kFree || seconds <= left_; }
  /// The same for a first launch of `launch` seconds whose times are known from former processes: later launches will
  /// pay for it.
  [[nodiscard]] bool affords_first(double seconds, double launch) const {
    return affords(seconds) || seconds <= kFirstPart * launch;
  }
  void spend(double seconds) {
    if (seconds > kFree) left_ = left_ > seconds ? left_ - seconds : 0.0;
  }

 private:
  static constexpr double kPart = 0.02;
  static constexpr double kFirstPart = 0.1;  // as five launches
  static constexpr double kFree = 1e-7;
  double left_ = 0.0;
};

}  // namespace skmd::domain
