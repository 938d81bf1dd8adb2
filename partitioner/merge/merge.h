// SPDX-License-Identifier: Apache-2.0
// How the partial results of several devices become one buffer, or why the launch must stay whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/footprint/roots.h"
#include "partitioner/merge/reduce.h"
#include "partitioner/plan/not_split.h"
#include "partitioner/traits/traits.h"

namespace skmd::domain {

/// The rungs of the merge ladder, 1 (`disjoint`) to 4 (`reduce`). `none`: the argument is not written. Rung 1 is the
/// merge of contiguous kernels in SKMD (TOCS 2015), section 3.1; rung 2 (`kernel`) is its merge kernel.
enum class Rung : std::uint8_t { none, disjoint, kernel, diff, reduce };
std::string_view name(Rung rung);

/// The rungs that a launch may take: all of them, unless a test confines them.
class RungSet {
 public:
  [[nodiscard]] bool contains(Rung rung) const { return (bits_ >> static_cast<unsigned>(rung) & 1u) != 0; }
  static RungSet of(std::span<const Rung> rungs);
  [[nodiscard]] RungSet without(Rung rung) const;
  /// Rung 2 on a device wherever one can (merge_place.h).
  [[nodiscard]] bool replays_on_devices() const { return replays_on_devices_; }
  void replay_on_devices() { replays_on_devices_ = true; }
  bool operator==(const RungSet&) const = default;

 private:
  std::uint8_t bits_ = 0xFF;
  bool replays_on_devices_ = false;
};

/// SKMD_TEST_RUNGS, for tests of one rung: a comma-separated list of `disjoint`, `kernel`, `kernel@device`, `diff` and
/// `reduce`. A rung that is not named is never taken. Anything else is an error that names the value.
Result<RungSet> parse_rungs(std::string_view text);

/// The reason for which no launch of this kernel may be split, for any geometry; empty: the traits forbid none.
/// `like_devices`: all devices that would take part are of one driver version, vendor and model (or
/// SKMD_SPLIT_MIXED=1).
std::optional<NotSplit> forbids_split(const KernelTraits& traits, bool like_devices);

struct MergeDecision {
  std::vector<Rung> per_root;
  std::vector<std::uint32_t> element;                  // bytes, per root; for Rung::diff
  std::vector<std::vector<CommutingBytes>> commuting;  // per root; for Rung::reduce
  /// Per root: the bytes whose results are joined in host memory. All other writes to the root are disjoint.
  std::vector<RangeSet> joined;
  std::optional<NotSplit> refused;
};

/// `slices[s][root]`: footprints of each slice, or of all that write one memory. Disjoint writes take rung 1;
/// overlapping or unknown ones rung 3 if all stores to that root have one element size and aligned places (measured
/// cheaper than rung 2); else rung 2 if the kernel has a merge function, no atomic touches that root, and no slice
/// writes to a root that the merge function loads from; atomics that commute rung 4. Rungs that are not in `allowed`
/// are passed over; where none is left, the launch is refused as unmergeable. `atomics[s][root]`: what the atomics of
/// each slice touch; without it there is no rung 4.
MergeDecision decide_merge(const KernelTraits& traits, std::span<const std::vector<RootFootprint>> slices,
                           std::span<const RootView> views, std::uint32_t roots, RungSet allowed = {},
                           std::span<const std::vector<AtomicFootprint>> atomics = {});

/// Seconds per byte of joining in host memory: per byte that may be joined, and per byte that a slice may have stored
/// there.
struct MergeCost {
  double per_joined = 0.0;
  double per_stored = 0.0;
};
struct MergeCosts {
  MergeCost kernel, diff, reduce;
};

/// Upper bound, seconds, for joining the results of `slices`, one for each memory space that was written.
/// `slices[s][root]`.
double merge_seconds(const MergeDecision& merge, std::span<const std::vector<RootFootprint>> slices,
                     const MergeCosts& costs);

/// Rung 3. For each element of `ranges` (multiples of `element`): where `result` differs from `before`, it is copied to
/// `merged`. All three cover the same root; `before` is the common pre-image, `merged` starts as a copy of one result.
void merge_difference(const std::byte* before, const std::byte* result, std::byte* merged, const RangeSet& ranges,
                      std::uint32_t element);

}  // namespace skmd::domain
