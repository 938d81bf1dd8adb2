// SPDX-License-Identifier: Apache-2.0
// How long launches of a kernel take on each device, as far as decides whether they are run in pieces: known without a
// lock at every launch.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "partitioner/base/nd_range.h"

namespace skmd::icd {

/// Of one kernel. Launches whose numbers of work-items have the same power of two count as alike. Thread-safe; no
/// function blocks.
class Paces {
 public:
  explicit Paces(std::size_t devices);

  /// Seconds that a work-group added to the last launch like `range` on the device, by either code; 0: not known.
  [[nodiscard]] double group_seconds(std::uint32_t device, const domain::NdRange& range) const;
  enum class Code : std::uint8_t { own, inside };  // the kernel's own, or that which can be stopped inside of groups
  /// `groups` of a launch of `range` took `nanoseconds`.
  void learn(std::uint32_t device, const domain::NdRange& range, std::uint64_t groups, std::uint64_t nanoseconds,
             Code code = Code::own);
  /// Whether Code::inside took more than kMaxInside times as long as the kernel's own in each of kTimedInside launches.
  [[nodiscard]] bool costs_too_much(std::uint32_t device, const domain::NdRange& range) const;
  /// Whether the device's last launch like `range` took, for each work-group, what the one before took, within
  /// kMaxUnsteady. A first one is steady, and one of more than twice as many groups or fewer than half: a device that
  /// is not filled takes as long for few groups as for many.
  [[nodiscard]] bool steady(std::uint32_t device, const domain::NdRange& range) const;
  /// Whether a launch whose time is not known may still be run in pieces to find out: after kMaxUntimed calls of
  /// tried() it may not, since some devices tell no times.
  [[nodiscard]] bool may_try(std::uint32_t device, const domain::NdRange& range) const;
  /// One more launch of unknown time is.
  void tried(std::uint32_t device, const domain::NdRange& range);

 private:
  struct Pace {
    std::atomic<float> item_seconds{0};    // of the last launch
    std::atomic<float> own_seconds{0};     // of the last one of Code::own
    std::atomic<bool> unsteady{false};     // the last one and the one before differ
    std::atomic<std::uint64_t> groups{0};  // of the last launch
    std::atomic<std::uint32_t> tries{0};
    std::atomic<float> inside_seconds{0};  // of Code::inside the least
    std::atomic<std::uint32_t> inside{0};  // launches of which it is the least
  };
  using Sizes = std::array<Pace, 64>;  // by the power of two of work-items
  std::vector<Sizes> devices_;
};

}  // namespace skmd::icd
