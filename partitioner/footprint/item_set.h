// SPDX-License-Identifier: Apache-2.0
// The work-items of a box, and the part of them that conditions leave over.
#pragma once

#include <vector>

#include "partitioner/base/nd_range.h"
#include "partitioner/footprint/affine.h"

namespace skmd::domain {

/// Work-items whose group id lies in `group[d]`, local id in `local[d]` and position group·local_size + local in
/// `position[d]`, for every dimension d. Conditions narrow it; it never loses an item that satisfies them.
struct ItemSet {
  std::array<Interval, 3> group;
  std::array<Interval, 3> local;
  std::array<Interval, 3> position;
  std::array<Wide, 3> local_size;
  /// Iterations of loops that conditions leave over, by loop index; loops beyond the end are not restricted.
  std::vector<Interval> iterations;

  void assign(const NdRange& range, const Box& box);
  /// Narrows each kind of bound by the others. False if the set is certainly empty.
  bool propagate();
  /// Every combination of group and local id is in the set.
  [[nodiscard]] bool is_product(unsigned dim) const;
  /// Every position of `position[dim]` is in the set.
  [[nodiscard]] bool is_dense(unsigned dim) const;
  [[nodiscard]] Interval iteration(std::uint32_t loop) const;
  bool operator==(const ItemSet&) const = default;
};

}  // namespace skmd::domain
