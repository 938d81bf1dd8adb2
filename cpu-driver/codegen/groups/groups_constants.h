// SPDX-License-Identifier: Apache-2.0
// How the loops over items and groups are made. Results are the same with any values; only speed differs.
#pragma once

#include <cstdint>

namespace skmd::codegen::tuning {

// --- items that vectors choose (chosen_items.cpp) ---
// Measured with bfs_level on two cores of a Zen 5, in turns with the code before.

/// Items of a row whose flags are told at once, before those that are set run. Source: measured: 1,024 and 4,096 are
/// within two per cent.
inline constexpr std::uint64_t kChosenPiece = 2048;
/// Where one item in so many of the piece before ran, vectors do not ask whether any lane goes on. Source: measured:
/// with one item in 25 a level takes 1.30 ms so, 1.86 with questions; with one in a thousand or none asking is faster
/// (0.16 against 0.24, 0.12 against 0.19 ms). What lies between was not measured.
inline constexpr std::uint64_t kOften = 128;
/// How many items further on in the list what they read first is prefetched. Source: measured: 8 to 32 are within two
/// per cent.
inline constexpr std::uint64_t kChosenAhead = 12;
/// Items that are taken from a word of flags in one turn without AVX-512, past the last one too. Source: chosen, not
/// measured: a turn's jump is foretold wrongly once a word, the other work of a turn is little beside it.
inline constexpr std::uint64_t kListedAtOnce = 4;
/// The same with AVX-512, by compressing. Source: its registers hold 16 numbers of 32 bits.
inline constexpr unsigned kCompressedAtOnce = 16;

// --- groups as lanes (lane_groups.cpp) ---

/// Lanes of items below which groups side by side are no gain. Source: chosen, not measured: the narrowest register of
/// floats.
inline constexpr unsigned kFewestLanes = 4;
/// Groups side by side, several registers of lanes where these are short: addresses and ends of loops are asked for
/// once for all. Source: a scan of blocks of 256 floats takes, on a Zen 5, with 4, 8 and 16 groups: SSE 300, 245 and
/// 222 us; with 8 and 16, AVX2: 160 and 136.
inline constexpr unsigned kGroupsAtOnce = 16;

/// Depth to which it is followed whether a value is computed from an item's id; what is deeper is taken to be.
/// Source: chosen, not measured: addresses are a few operations long.
inline constexpr unsigned kMaxIdDepth = 8;

}  // namespace skmd::codegen::tuning
