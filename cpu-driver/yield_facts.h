// SPDX-License-Identifier: Apache-2.0
// Yielding kernels (compiler/yield/yield.h) in span code. Such an artifact's kernels have two more arguments than the
// program's, behind all others: a buffer with the state of the group that runs (compiler/yield/schema.h), and one whose
// word 0 makes it save and end. Each call of a kernel's function is for one group.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skmd::cpu {

/// The point of an item, or of a group, that has ended.
inline constexpr std::uint32_t kPointDone = 0xFFFFFFFF;

/// Words for a group's points: from where a run goes on, which the kernel reads, and where it has ended, which it
/// writes if it is saved.
inline constexpr std::uint32_t kGroupPoints = 2;

struct YieldFacts {
  std::uint64_t schema = 0;       // states of kernels of the same number can be exchanged
  std::uint32_t group_words = 0;  // of a group's state: words of 32 bits that it has once
  std::uint32_t item_words = 0;   // and for each of its items
  std::uint32_t together =
      0;  // 1: the group has a point, in its first words (kGroupPoints); 0: the first word of each item is its
  std::uint32_t points = 0;  // at least 1

  /// Words of the state of a group of `items` work-items.
  [[nodiscard]] constexpr std::uint64_t words(std::uint64_t items) const { return group_words + item_words * items; }
  /// Which of them are points: so many from this one on.
  [[nodiscard]] constexpr std::uint64_t first_point() const { return together != 0 ? 0 : group_words; }
  [[nodiscard]] constexpr std::uint64_t point_count(std::uint64_t items) const { return together != 0 ? 1 : items; }
};

/// The name of a kernel's YieldFacts in the shared object, which only yielding kernels have.
inline std::string yields_symbol(std::string_view kernel) { return std::string("skmd_yields_").append(kernel); }

}  // namespace skmd::cpu
