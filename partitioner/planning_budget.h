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
  /// Likewise for the first launch of so many seconds, if it is known from former processes: later ones will pay for
  /// it.
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
