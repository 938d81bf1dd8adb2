// SPDX-License-Identifier: Apache-2.0
// Which spans of a launch's groups are timed when a kernel is profiled: SKMD (TOCS 2015), section 3.3. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "partitioner/nd_range.h"
#include "partitioner/result.h"

namespace skmd::domain {

/// 0: the paper's spans. N > 0: N spans of random lengths, by which predictions are tested.
struct SpanPlan {
  std::uint32_t random = 0;
  bool operator==(const SpanPlan&) const = default;
};

inline constexpr std::uint32_t kMostRandomSpans = 4096;

/// "paper" or "random:N" with N from 1 to kMostRandomSpans; otherwise an error that names the value.
Result<SpanPlan> parse_span_plan(std::string_view text);

/// The paper's: 4, 8, 12 and 16 groups, then twelve lengths in a geometric row from there to all groups; fewer where
/// the launch has fewer. Random: lengths of 1 to `groups`, all equally likely. Each begins at a random place. The
/// longest first; the same for the same seed. Precondition: groups > 0.
std::vector<GroupSpan> profile_spans(const SpanPlan& plan, std::uint64_t groups, std::uint64_t seed);

}  // namespace skmd::domain
