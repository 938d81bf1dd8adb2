// SPDX-License-Identifier: Apache-2.0
// How much the application's objects keep, and how far events look back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::icd::tuning {

/// Launches that a kernel remembers: buffers that take turns, the stages of a program. Source: chosen.
inline constexpr std::size_t kMaxKeptLaunches = 4;
/// Lists of such launches that a memory object knows before it looks for those whose kernels are gone; then twice as
/// many as are left and so many more. Source: chosen: looking stays a constant part of adding.
inline constexpr std::size_t kCrowd = 16;
/// Devices whose limit of a group's work-items is so many times below the anchor's take no part in bigger launches.
/// Source: chosen, so that one special device does not decide for all (BuiltKernel::takes_group()).
inline constexpr std::uint64_t kFarBelow = 4;
/// Commands that a waiting thread looks back for one to run: of a long chain, only those at its end, as looking for the
/// first takes as long as the chain. Source: docs/decisions/blocking-executor-threads.md.
inline constexpr int kFarthest = 16;
/// A dead handle is given to a new object only after this many others died: a stale handle is refused for long. Source:
/// docs/decisions/handles-are-never-unmapped.md.
inline constexpr std::size_t kQuarantine = std::size_t{1} << 16;

/// Launches of a kernel with work-items that left a device because they trap, until the device gets no more of them.
/// Source: chosen: the first ones may be a program's own mistake at its edges; an item that leaves costs as much as
/// thousands that do not.
inline constexpr std::uint32_t kTrappedLaunches = 3;

}  // namespace skmd::icd::tuning
