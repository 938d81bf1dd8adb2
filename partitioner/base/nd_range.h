// SPDX-License-Identifier: Apache-2.0
// The index space of a launch, and how it is cut: spans of flattened work-group ids, and boxes of work-groups.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace skmd::domain {

using Extent3 = std::array<std::uint64_t, 3>;

/// A uniform NDRange: `global` is a multiple of `local` in every dimension; dimensions at or above `work_dim` are
/// 1 (sizes) and 0 (offsets). Units: work-items.
struct NdRange {
  std::uint32_t work_dim = 1;
  Extent3 offset{0, 0, 0};
  Extent3 global{1, 1, 1};
  Extent3 local{1, 1, 1};

  [[nodiscard]] Extent3 group_counts() const {
    return {global[0] / local[0], global[1] / local[1], global[2] / local[2]};
  }
  [[nodiscard]] std::uint64_t group_total() const {
    const Extent3 n = group_counts();
    return n[0] * n[1] * n[2];
  }
  bool operator==(const NdRange&) const = default;
};

/// Work-groups in one row of dimension 0 (in one plane of three dimensions): spans cut at multiples of it are
/// contiguous slabs. SKMD (TOCS 2015), section 3.1, flattens work-groups the same way.
std::uint64_t row_of_groups(const NdRange& range);

/// Half-open range [first, last) of flattened work-group ids, dimension 0 fastest.
struct GroupSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  [[nodiscard]] std::uint64_t size() const { return last - first; }
  [[nodiscard]] bool empty() const { return first >= last; }
  bool operator==(const GroupSpan&) const = default;
};

/// An N-dimensional block of whole work-groups: ids first[d] … first[d]+count[d]-1. Units: work-groups.
struct Box {
  Extent3 first{0, 0, 0};
  Extent3 count{1, 1, 1};

  [[nodiscard]] std::uint64_t size() const { return count[0] * count[1] * count[2]; }
  bool operator==(const Box&) const = default;
};

/// Cuts `span` of a launch with `groups` work-groups per dimension into at most 2·N-1 boxes (5 in 3-D), in ascending
/// order of flattened id; each group of the span is in exactly one box. Appends to `out` (cleared first).
void boxes_of(const GroupSpan& span, const Extent3& groups, std::vector<Box>& out);

/// The number of boxes that boxes_of() returns; 0 for the empty span.
std::uint32_t box_count(const GroupSpan& span, const Extent3& groups);

/// The native launch of one box: same work_dim and local size, offset moved to the first group.
NdRange launch_of(const NdRange& range, const Box& box);

}  // namespace skmd::domain
