// SPDX-License-Identifier: Apache-2.0
// Shares of a launch around which an application writes and reads: no device computes during these transfers, so the
// longest of each phase counts and not each device's sum.
#pragma once

#include <array>
#include <span>

#include "partitioner/plan/completion_curves.h"

namespace skmd::domain {

/// The seconds of a round: the slowest transfers before and after, the slowest run between them, and copies in host
/// memory one after the other. O(n log n), exact but for the length of the run, which is searched.
class PhaseFill {
 public:
  /// Precondition: `lines` are used and not pinned. `groups`: of all of them together.
  PhaseFill(std::span<CompletionCurve* const> lines, double groups);

  /// Sets shares, whose sum is the groups. Returns the seconds until the end; infinite if no device can end.
  double share_out();
  /// Only the moment.
  double finish();

 private:
  struct Item {
    CompletionCurve* line = nullptr;
    double moving_fixed = 0, moving_each = 0;
    [[nodiscard]] bool moves() const { return moving_fixed > 0 || moving_each > 0; }
  };
  /// A change of the groups per second of moving that have come.
  struct Change {
    double at = 0, rate = 0, jump = 0;
  };
  struct Ends {
    double seconds = 0, moving = 0;
  };
  [[nodiscard]] double most(const Item& item, double run) const;
  [[nodiscard]] double copying(double run, double groups) const;
  Ends end_with(double run);
  double best_run();

  std::array<Item, kMaxLines> items_;
  std::array<Change, 2 * kMaxLines> changes_;
  std::size_t count_ = 0;
  double groups_;
};

}  // namespace skmd::domain
