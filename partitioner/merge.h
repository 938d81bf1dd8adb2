// SPDX-License-Identifier: Apache-2.0
// How the partial results of several devices become one buffer, or why the launch must stay whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "partitioner/reduce.h"
#include "partitioner/result.h"
#include "partitioner/roots.h"
#include "partitioner/traits.h"

namespace skmd::domain {

/// The closed list of reasons for which a launch stays whole.
enum class NotSplit : std::uint8_t {
  mode_single,
  small_launch,
  one_group,
  one_device_eligible,
  not_profitable,
  atomic_result_used,
  device_scope_sync,
  spinning,
  pointer_in_memory,
  image_read,
  image_written,
  mutable_program_scope,
  printf,
  device_specific_code,
  opaque_program,
  float_decides_address,
  memory_short,
  unmergeable,
};
inline constexpr std::uint8_t kNotSplitCount = static_cast<std::uint8_t>(NotSplit::unmergeable) + 1;
std::string_view name(NotSplit reason);

/// The rungs of the merge ladder. `none`: the argument is not written.
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

/// The reason for which no launch of this kernel may be split, whatever its geometry. `like_devices`: all devices
/// that would take part are of one driver version, vendor and model (or SKMD_SPLIT_MIXED=1).
std::optional<NotSplit> forbids_split(const KernelTraits& traits, bool like_devices);

struct MergeDecision {
  std::vector<Rung> per_root;
  std::vector<std::uint32_t> element;                  // bytes, per root; for Rung::diff
  std::vector<std::vector<CommutingBytes>> commuting;  // per root; for Rung::reduce
  /// Per root: the bytes whose results are joined in host memory. Whatever else is written there is disjoint.
  std::vector<RangeSet> joined;
  std::optional<NotSplit> refused;
};

/// `slices[s][root]`: footprints of each slice, or of all that write one memory. Disjoint writes take rung 1;
/// overlapping or unknown ones rung 3 if all stores to that root have one element size and aligned places (measured
/// cheaper than rung 2); else rung 2 if the kernel has a merge function, no atomic touches that root, and nobody writes
/// to a root that the merge function loads from; atomics that commute rung 4. Rungs that are not in `allowed` are
/// passed over; where none is left, the launch is refused as unmergeable. `atomics[s][root]`: what the atomics of each
/// slice touch; without it there is no rung 4.
MergeDecision decide_merge(const KernelTraits& traits, std::span<const std::vector<RootFootprint>> slices,
                           std::span<const RootView> views, std::uint32_t roots, RungSet allowed = {},
                           std::span<const std::vector<AtomicFootprint>> atomics = {});

/// Seconds that joining takes in host memory: for each byte that may be joined, and for each byte that a slice may have
/// stored there.
struct MergeCost {
  double per_joined = 0.0;
  double per_stored = 0.0;
};
struct MergeCosts {
  MergeCost kernel, diff, reduce;
};

/// What joining the results of `slices` costs at most: those that lie in memories of their own. `slices[s][root]`.
double merge_seconds(const MergeDecision& merge, std::span<const std::vector<RootFootprint>> slices,
                     const MergeCosts& costs);

/// Rung 3. For each element of `ranges` (multiples of `element`): where `result` differs from `before`, it is copied to
/// `merged`. All three cover the same root; `before` is the common pre-image, `merged` starts as a copy of one result.
void merge_difference(const std::byte* before, const std::byte* result, std::byte* merged, const RangeSet& ranges,
                      std::uint32_t element);

}  // namespace skmd::domain
