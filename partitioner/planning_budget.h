// SPDX-License-Identifier: Apache-2.0
// Planning may cost a small part of what the planned launches take, and no more.
#pragma once

namespace skmd::domain {

class PlanningBudget {
 public:
  /// A launch of so many seconds is planned, or its plan used again.
  void launched(double seconds) { left_ += kPart * seconds; }
  /// What costs next to nothing is always afforded.
  [[nodiscard]] bool affords(double seconds) const { return seconds <= kFree || seconds <= left_; }
  void spend(double seconds) {
    if (seconds > kFree) left_ = left_ > seconds ? left_ - seconds : 0.0;
  }

 private:
  static constexpr double kPart = 0.02;
  static constexpr double kFree = 1e-7;
  double left_ = 0.0;
};

}  // namespace skmd::domain
