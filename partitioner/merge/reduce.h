// SPDX-License-Identifier: Apache-2.0
// Rung 4 of the merge ladder: every slice runs its atomics on the same old values, and since they commute, the partial
// values that the slices leave can be combined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/footprint/roots.h"
#include "partitioner/traits/traits.h"

namespace skmd::domain {

/// Bytes of one root that atomics of one class and one width touch, and nothing else does.
struct CommutingBytes {
  AtomicClass operation = AtomicClass::none;
  std::uint32_t width = 4;  // bytes of one value; values lie at multiples of it
  RangeSet bytes;
  bool operator==(const CommutingBytes&) const = default;
};

/// The accesses of a slice to one root: atomics that can be combined, and all others. May be over-estimated.
struct AtomicFootprint {
  std::vector<CommutingBytes> atomics;  // at most one for each class and width
  RangeSet reads, writes;               // of everything else
  bool write_unknown = false;
};

/// One AtomicFootprint per root, for the groups of `span`. Atomics with a used result, those of no class, and values
/// that do not lie at multiples of their width are among "everything else".
std::vector<AtomicFootprint> evaluate_atomics(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                              std::span<const ArgumentView> arguments, std::span<const RootView> views,
                                              std::uint32_t roots);

/// Adds the accesses of another slice to the same root.
void join(AtomicFootprint& into, const AtomicFootprint& other);

/// The bytes of `root` whose partial values can be combined, by class and width. Empty: they cannot, because atomics of
/// two kinds may meet, because something else touches what atomics touch, or because other writes overlap.
/// `slices[s][root]`.
std::vector<CommutingBytes> combinable(std::span<const std::vector<AtomicFootprint>> slices, std::uint32_t root);

/// Combines `result` with `merged`, for each whole value of `ranges`; both started as `before`. All three cover the
/// same root. Precondition: `operation` commutes.
void merge_commuting(const std::byte* before, const std::byte* result, std::byte* merged, const RangeSet& ranges,
                     AtomicClass operation, std::uint32_t width);

}  // namespace skmd::domain
