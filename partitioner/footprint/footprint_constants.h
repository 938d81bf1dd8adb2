// SPDX-License-Identifier: Apache-2.0
// How exact footprints are: beyond these numbers they are over-estimated, so that evaluating them takes microseconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::domain::tuning {

/// Times that conditions, which bound each other's variables, are gone through. Source: chosen.
inline constexpr int kMaxNarrowings = 4;
/// Conditions nested deeper count as not understood. Source: chosen, to bound recursion;
/// tests/partitioner/footprint_limits_test.cpp.
inline constexpr int kMaxNested = 24;
/// Earlier touches that a new one is tried to be joined with. Source: chosen.
inline constexpr std::size_t kMaxFused = 16;
/// Rows of one region that are told apart, and ranges of one buffer. Source: fdtd3d, a stencil of 65,794 ranges, takes
/// 2.5 ms to evaluate (bench/micro/partition_bench): more would take longer than a launch.
inline constexpr std::uint64_t kMaxRows = 65536;
inline constexpr std::size_t kMaxRanges = 4 * kMaxRows;
/// Of reads, which may be over-estimated: with more rows than this, gaps of so many bytes are closed. Source:
/// docs/decisions/gaps-between-rows-are-closed.md.
inline constexpr std::uint64_t kManyRows = 1024;
inline constexpr std::uint64_t kSmallGap = 256;

}  // namespace skmd::domain::tuning
