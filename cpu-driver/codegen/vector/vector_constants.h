// SPDX-License-Identifier: Apache-2.0
// How far values are followed that vectors are made of, and which accesses are joined. Results are the same with any
// values: what is not followed is unknown, and its accesses go lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::codegen::tuning {

// --- depths of recursion over operands, for the time of compiling ---
// Source of all: chosen, not measured: index computations are a few operations long, and each level may double what is
// looked at.

/// Places of lanes (known_places.cpp), factors of places (multiples.cpp), and addresses that are computed again for one
/// lane (one_lane.cpp). Source: above; the first follows finished code, in which extensions and casts stand between.
inline constexpr unsigned kMaxPlaceDepth = 16;
inline constexpr unsigned kMaxMultipleDepth = 8;
inline constexpr unsigned kMaxOneLaneDepth = 8;
/// Branches before a masked store that may have asked whether a lane runs (blend.cpp). Source: above; a loop and a
/// shortcut stand between.
inline constexpr unsigned kMaxBranchesBefore = 4;
/// Ranges of values (ranges.cpp), and differences between lanes that extensions keep (shapes.cpp). Source: above.
inline constexpr unsigned kMaxRangeDepth = 6;
inline constexpr unsigned kMaxExtensionDepth = 6;
/// Numbers of which 32 bits matter (narrow.cpp), and upper halves of products (prepare.cpp). Source: above.
inline constexpr unsigned kMaxNarrowDepth = 4;
inline constexpr unsigned kMaxHalfDepth = 4;

/// Phis whose factors are supposed together, and uses of what a promise is about (trust.cpp): beyond these nothing is
/// known. Source: chosen, not measured, likewise.
inline constexpr unsigned kMaxPhis = 32;
inline constexpr unsigned kMaxTrustedUses = 64;

// --- accesses that are joined ---

/// Elements of a lane beside each other, as a structure has them, that are one access. Source: chosen: float4.
inline constexpr std::int64_t kMaxMembers = 4;
/// Accesses that are compared with each other, for the time of compiling. Source: chosen, not measured.
inline constexpr std::size_t kMaxOpen = 64;
/// Bytes of one wide access: more does not fit into registers. Source: chosen: eight registers of AVX-512, of 32.
inline constexpr std::int64_t kMaxWideBytes = 512;
/// Bytes between two loads that share what both read (overlaps.cpp): what follows is one register's load.
/// Source: chosen: AVX2's register.
inline constexpr std::uint64_t kMaxBehind = 32;

// --- lanes one by one ---

/// Lanes of a mask that are known, up to which an access is done one by one (few_lanes.cpp). Source: chosen, not
/// measured: two scalar accesses cost less than making a mask.
inline constexpr unsigned kFewLanes = 2;
/// Bytes of one such access, where only some of a vector's lanes are taken. Source: chosen: the least register.
inline constexpr std::uint64_t kMaxFewBytes = 16;
/// Bits of elements that are changed where they are, lane after lane (updates.cpp); wider ones are gathered and
/// scattered. Source: chosen: AVX-512 scatters 32 bits and more.
inline constexpr unsigned kWidestUpdate = 16;
/// Micro-operations of a lane's load in place of a gather: two for the place, two for the element. Said in
/// remarks. Source: chosen, by the instructions that it becomes.
inline constexpr unsigned kLoadOfLane = 4;
/// Bytes of a lane's private variables; a thread's stack holds 32 times this. Source: chosen, not measured: with 32
/// lanes half a mebibyte.
inline constexpr std::uint64_t kMaxPrivateBytes = 16 * 1024;

}  // namespace skmd::codegen::tuning
