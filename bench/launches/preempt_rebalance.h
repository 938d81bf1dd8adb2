// SPDX-License-Identifier: Apache-2.0
// A launch of which a device gets far more than it should, and what is made of that while it runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/launches/preempt_rows.h"

namespace bench {

struct RebalanceOptions {
  double long_seconds = 0.5;  // of the launch, on the first device alone
  int turns = 7;              // launches of each side that count; the median does
  double times = 10;          // how much faster the second device is thought to be than it is
};

/// {"ratio","launch_ms","best_ms","best_plan","left_ms","left_ratio","launches","rebalances","moved_groups"}: a launch
/// that is divided as if the second device were `times` as fast as it is, over the best plan for it; the same without
/// SKMD_PREEMPT. Throws std::runtime_error if a process fails or a result is wrong.
nlohmann::ordered_json measure_rebalance(const PreemptPlace& place, const RebalanceOptions& options);

/// In a process of its own: launches as it is told by lines of standard input. Throws ClError.
int divide_launches(const std::string& selector);

}  // namespace bench
