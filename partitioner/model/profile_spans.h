// SPDX-License-Identifier: Apache-2.0
// Which spans of a launch's groups are timed when a kernel is profiled: the profiling mode of SKMD (TOCS 2015), section
// 4. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "partitioner/base/nd_range.h"
#include "partitioner/base/result.h"

namespace skmd::domain {

/// 0: the paper's spans. N > 0: N spans of random lengths, to test predictions.
struct SpanPlan {
  std::uint32_t random = 0;
  bool operator==(const SpanPlan&) const = default;
};

inline constexpr std::uint32_t kMaxRandomSpans = 4096;  // that a user may ask for

/// "paper" or "random:N" with N from 1 to kMaxRandomSpans; otherwise an error that names the value.
Result<SpanPlan> parse_span_plan(std::string_view text);

/// The paper's: 4, 8, 12 and 16 groups, then twelve lengths in a geometric row from there to all groups; fewer where
/// the launch has fewer. Random: lengths of 1 to `groups`, all equally likely. Each begins at a random place. The
/// longest first; the same for the same seed. Precondition: groups > 0.
std::vector<GroupSpan> profile_spans(const SpanPlan& plan, std::uint64_t groups, std::uint64_t seed);

}  // namespace skmd::domain
