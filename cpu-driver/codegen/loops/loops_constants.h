// SPDX-License-Identifier: Apache-2.0
// When loops over items are changed, and how far ahead memory is asked for. Results are the same with any values; only
// speed and the time of compiling differ. Kernels' names are those of bench/kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::codegen::tuning {

/// Bytes of a cache line. Source: all processors that code is made for have this.
inline constexpr std::uint64_t kLine = 64;

// --- vectors and rows side by side (rows.cpp) ---

/// Vectors of one row, or rows, that go through a loop side by side. Source: measured: reduction takes 1.62 ms with
/// four on a Zen 4, 1.74 with eight.
inline constexpr unsigned kMaxCopies = 4;
/// The same for loops that only read large memory, with AVX-512: a row of 256 items of four bytes. What a group reads
/// of each row is then read in the order of memory, which processors foresee. Source: measured: the fastest of 100 runs
/// of reduction takes 1.40 ms with four and 0.96 with sixteen on one machine, 7.30 and 3.54 on another.
inline constexpr unsigned kStreamedVectors = 16;
/// Instructions of all copies together, and those of kStreamedVectors. Source: chosen, not measured: longer loops have
/// work enough between what they wait for.
inline constexpr unsigned kMaxCopiedInstructions = 400;
inline constexpr unsigned kMaxStreamedInstructions = 1600;
/// Bytes of the private variables of all copies. Source: chosen: half of a first cache of 32 KiB.
inline constexpr std::uint64_t kMaxCopiedVariables = std::uint64_t{16} << 10;

// --- loops that are made two of ---

/// Instructions of a loop over vectors, of which there are two afterwards (full_lanes.cpp). Source: chosen, not
/// measured: for the time of compiling.
inline constexpr std::size_t kMaxFullInstructions = 1500;
/// Of one that goes item by item, where asking costs more than a few instructions only if there are few others.
/// Source: chosen, not measured.
inline constexpr std::size_t kMaxFullOfOneItem = 100;
/// Of a kernel for which there is code of its own for a parameter's being 1 (unit_factors.cpp). Source: chosen, not
/// measured: for the time of compiling.
inline constexpr unsigned kMaxUnitInstructions = 300;
/// What LLVM may copy of a loop that asks for a shortcut, in its own costs (unswitch.cpp). Source: chosen: a loop of
/// sixteen vectors that read two arrays each, and some more.
inline constexpr int kMaxUnswitched = 2000;
/// Shortcuts of one loop, each of which doubles it. Source: chosen.
inline constexpr unsigned kMaxSettledShortcuts = 2;

// --- prefetches ---

/// Turns of a loop ahead (prefetch.cpp): by what memory takes, and a turn at least. Source: chosen: with it box_muller
/// goes from 3.9 to 2.3 ms on two cores of a Xeon; other numbers were not measured.
inline constexpr std::uint64_t kTurnsAhead = 8;
/// Loads of one loop that are prefetched: more at once than a processor keeps under way do not help each other.
/// Source: chosen, not measured: by their buffers, as kMaxParts.
inline constexpr unsigned kMaxPrefetchedLoads = 8;
/// Depth of an address whose change from group to group is worked out (next_group.cpp), and instructions of one that is
/// computed for a later item (first_place.cpp). Source: chosen, not measured: addresses are a few instructions long;
/// what is longer is not worth computing twice.
inline constexpr unsigned kMaxAddressDepth = 32;
inline constexpr unsigned kMaxFirstPlace = 8;

// --- loops that go item by item (sparse.cpp) ---

/// Instructions that a processor does while it waits for an access that finds its own place: loops with more work for
/// each stay vectors. Source: chosen, by bfs_level alone, of which one thread takes 6.35 ms instead of 20.5.
inline constexpr unsigned kWorkOfAccess = 8;
/// And what a call counts as. Source: chosen, not measured: as kLong of cpu-driver/codegen/masks/masks_constants.h.
inline constexpr unsigned kWorkOfCall = 20;

// --- stores past the caches (stream.cpp) ---

/// Bytes of results of a launch from which on they are stored so: more than a thread's share of a cache, and not read
/// again soon. Source: chosen, other numbers were not measured: vector_add goes from 1.29 to 1.07 ms with AVX2 on a
/// Zen 5; what fits into a cache may be read from there.
inline constexpr std::uint64_t kStreamedBytes = std::uint64_t{1} << 24;
/// Results whose lines are filled part by part at the same time: far fewer than a processor has buffers for them.
/// Source: chosen: these are 10 to 12, and 8 on some.
inline constexpr std::size_t kMaxParts = 4;

}  // namespace skmd::codegen::tuning
