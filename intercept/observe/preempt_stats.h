// SPDX-License-Identifier: Apache-2.0
// What the statistics say of how launches of one kernel gave way to others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "intercept/observe/preempt_report.h"
#include "intercept/observe/time_histogram.h"

namespace skmd::icd {

class PreemptStats {
 public:
  void add(const PreemptReport& report);
  /// The member "preempt" of a kernel's entry, for so many devices.
  void append(std::string& out, std::size_t devices) const;
  /// Numbers in it at most, and bytes of names that may be added to it.
  [[nodiscard]] static std::size_t numbers(std::size_t devices) { return 2 * devices + 13 + kNotPreemptedCount; }
  static constexpr std::size_t kNames = kNotPreemptedCount * 24;  // none is longer with its quotes and colon

 private:
  PreemptForm form_ = PreemptForm::none;  // the last in their order that a launch had
  std::array<std::uint64_t, kNotPreemptedCount> why_not_{};
  std::uint64_t stops_ = 0, never_ran_groups_ = 0, saved_groups_ = 0, resumed_items_ = 0;
  std::uint64_t resumed_together_ = 0, resumed_apart_ = 0, rebalances_ = 0, rebalanced_groups_ = 0;
  std::uint64_t state_bytes_ = 0;
  std::uint32_t points_ = 0;
  std::vector<std::uint64_t> moved_groups_, moved_inside_;
  TimeHistogram stop_times_;
};

}  // namespace skmd::icd
