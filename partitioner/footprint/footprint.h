// SPDX-License-Identifier: Apache-2.0
// Which bytes of each buffer argument a box of work-groups may read, may write, and surely writes: the index-space
// analysis of SKMD (TOCS 2015), section 3.2, with intervals and guards added.
//
// Values are mathematical integers in 128 bits, kept as "affine form over ids and iterations + slack interval".
// Additions, subtractions and multiplications are exact modulo 2^bits, so they are not checked; where a representative
// matters (sext, zext, division, right shifts, min/max, comparisons, the final address) the interval must lie in one
// window of the type, else the value is unknown. An unknown offset means the whole buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/base/byte_ranges.h"
#include "partitioner/base/nd_range.h"
#include "partitioner/traits/traits.h"

namespace skmd::domain {

/// A frozen argument as footprints see it.
struct ArgumentView {
  bool is_buffer = false;
  std::uint64_t bytes = 0;           // buffer: bytes reachable through this argument (a sub-buffer's size; 0: null);
                                     // local memory: its size
  std::span<const std::byte> value;  // by-value argument; of an image, which is a buffer too, its ImageGeometry
  std::uint64_t before = 0;          // of `bytes`, those that lie before the address the kernel is given
};

/// Byte ranges are relative to the first byte that the argument reaches, which is its pointer but for
/// ArgumentView::before, and clipped to its `bytes`.
struct Footprint {
  RangeSet reads;       // may be over-estimated; includes atomics
  RangeSet may_write;   // may be over-estimated; includes atomics
  RangeSet must_write;  // never over-estimated
  /// A write whose place is not known: may_write is the whole buffer for this reason.
  bool write_unknown = false;
  bool operator==(const Footprint&) const = default;
};

/// One Footprint per parameter of the kernel (empty ones for arguments that are no buffers), for the union of `boxes`.
/// Pure; linear in nodes × boxes (plus rows of 2-D boxes). `arguments.size() == traits.parameters.size()`.
std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange& range, std::span<const Box> boxes,
                                std::span<const ArgumentView> arguments);

/// Convenience: the footprint of a whole span.
std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                std::span<const ArgumentView> arguments);

/// Per parameter: true if footprints of the kernel may depend on its value, or what it accesses of local memory.
std::vector<bool> deciding_values(const KernelTraits& traits);

}  // namespace skmd::domain
