// SPDX-License-Identifier: Apache-2.0
// The bytes that an affine offset touches while its variables run over intervals.
#pragma once

#include "partitioner/base/byte_ranges.h"
#include "partitioner/footprint/affine.h"

namespace skmd::domain {

/// Bytes [offset, offset + width) for offset = first + Σ factor·v, each v independently in its interval.
struct Region {
  struct Dim {
    Wide factor;
    Interval values;
    bool operator==(const Dim&) const = default;
  };
  static constexpr unsigned kMaxDims = kMaxTerms + 3;  // a form's terms, and what shapes add

  Wide first = 0;
  Wide width = 1;
  unsigned count = 0;
  std::array<Dim, kMaxDims> dims;

  void push(Wide factor, const Interval& values) {
    if (factor != 0) dims[count++] = {factor, values};
  }
};

/// Removes dimensions whose steps leave no gap and adds their extent to the width.
void condense(Region& region);

/// Whether first + Σ factor·v takes every integer from its least to its greatest value, `values`.
bool is_gapless(const Region& region, Interval& values);

/// `exact`: every gap counts, up to kMaxRows. `coarse`: of more than a thousand rows, gaps are closed that cost less
/// to transfer than to leave out.
enum class Detail : std::uint8_t { exact, coarse };

/// Adds the region's bytes within `clip` to `out`, or more of them if there are too many rows. True if exact.
/// Precondition: no interval is empty, and all offsets are 64-bit numbers.
bool add_region(const Region& region, const ByteRange& clip, Detail detail, RangeSet& out);

}  // namespace skmd::domain
