// SPDX-License-Identifier: Apache-2.0
// From the offset of one access to regions: every place it may touch, and places that it surely touches.
#pragma once

#include <optional>

#include "partitioner/footprint/conditions.h"
#include "partitioner/footprint/region.h"

namespace skmd::domain {

/// An access in front of the work-items for which its guards hold; they are the evaluator's.
struct Setting {
  Evaluator& evaluator;
  const Narrowed& narrowed;
  Evaluator::Truth guards;
};

struct Shape {
  Region may;
  std::optional<Region> must;
  bool same = true;  // the two regions are equal
  Interval offsets;  // no execution starts outside; both regions are to be cut to that
  Wide tail = 1;     // bytes that an execution reaches beyond its start, at most
  Wide step = 0;     // if bounds cut `offsets`: executions start a multiple of this apart; else 0, and nothing is cut
};

/// Joins `other` to `shape` if both run for the same items and iterations and their bytes adjoin: the elements 2·i and
/// 2·i + 1 are then one dense range instead of two sets of rows. Precondition: `shape` starts first. False: not joined.
bool fuse(Shape& shape, const Shape& other);

/// `offset` is a canonical 64-bit form with values in `offsets`, `width` the bytes of one execution.
Shape shape_of(const Access& access, const Setting& setting, const Form& offset, const Interval& width,
               const Interval& offsets);

}  // namespace skmd::domain
