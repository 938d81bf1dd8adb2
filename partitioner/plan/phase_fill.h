// SPDX-License-Identifier: Apache-2.0
// Shares of a launch around which an application writes and reads: no device computes during these transfers, so the
// longest of each phase counts and not each device's sum.
#pragma once

#include <span>
#include <vector>

#include "partitioner/plan/completion_curves.h"
#include "partitioner/plan/shared_link.h"

namespace skmd::domain {

/// The seconds of a round: the slowest transfers before and after, the slowest run between them, and copies in host
/// memory one after the other. Devices that share a link count as one. O(n log n), exact but for the length of the run,
/// which is searched, and for transfers around the run over a shared link whose devices differ in them.
class PhaseFill {
 public:
  /// Precondition: `lines` are used and not pinned, and those of one link follow each other. `groups`: of all of them
  /// together. Keeps a reference to `lines`.
  PhaseFill(std::span<CompletionCurve* const> lines, double groups);

  /// Sets shares, whose sum is the groups. Returns the seconds until the end; infinite if no device can end.
  double share_out();
  /// Only the moment.
  double finish();
  /// After share_out(): the longest run, and the longest transfers around it.
  [[nodiscard]] double run() const { return run_; }
  [[nodiscard]] double moving() const { return moving_; }

 private:
  /// A device with a link of its own, or those that share one.
  struct Item {
    Sharers lines;
    double moving_fixed = 0, moving_each = 0, copying_each = 0;
    std::size_t first_knot = 0, knots = 0;  // 0: of one device
    [[nodiscard]] bool moves() const { return moving_fixed > 0 || moving_each > 0; }
  };
  /// A change of the groups per second of moving that have come.
  struct Change {
    double at = 0, rate = 0, jump = 0;
  };
  /// What one without transfers runs.
  struct Still {
    double groups = 0, copying_each = 0;
  };
  struct Ends {
    double seconds = 0, moving = 0;
  };
  [[nodiscard]] std::span<const Knot> knots_of(const Item& item) const {
    return std::span(knots_).subspan(item.first_knot, item.knots);
  }
  [[nodiscard]] double most(const Item& item, double run) const;
  [[nodiscard]] double copying(double groups) const;
  Ends end_with(double run);
  [[nodiscard]] double shortest_run(double low, double high) const;
  double best_run();

  std::vector<Item> items_;
  std::vector<Knot> knots_;
  std::vector<Change> changes_;
  std::vector<Still> still_;  // in the order of items_
  double groups_;
  double run_ = 0, moving_ = 0;
};

}  // namespace skmd::domain
