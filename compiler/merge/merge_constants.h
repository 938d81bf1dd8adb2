// SPDX-License-Identifier: Apache-2.0
// Which kernels get merge functions, and the form of their loops. Results are right with any values; where a kernel has
// none, results are merged on another rung (partitioner/merge/merge.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::compiler::tuning {

/// Bytes of private memory of one work-item: threads that merge have ordinary stacks. Source: chosen, not measured:
/// 1/512 of the 8 MiB that Linux gives to a thread; one item is replayed at a time.
inline constexpr std::uint64_t kMaxPrivateBytes = 16384;
/// Bytes of PTX: every process that uses the program keeps the text. Source: chosen, not measured.
inline constexpr std::size_t kMaxPtx = std::size_t{4} << 20;
/// Rounds of removing what stores do not need. Source: chosen, not measured: they end with the first, after one, that
/// removes nothing.
inline constexpr int kMaxSlicingRounds = 8;
/// Shorter rows of stores are marked element by element. Source: chosen, not measured: a row is one call, which costs
/// as much as marking some elements.
inline constexpr std::uint64_t kLeastTimes = 8;
/// Shorter strips of items (as powers of two) are not worth a loop, longer ones are rows without. Source: chosen, not
/// measured: 8 items, as kLeastTimes, to 65,536.
inline constexpr unsigned kLeastStripBits = 3;
inline constexpr unsigned kMaxStripBits = 16;
/// Binary logarithm of the largest unit, of which places and sizes of all stores to a buffer are multiples: larger ones
/// save nothing more. Source: chosen: 64 bytes are a cache line, and a bit for each is 1/512 of what is marked.
inline constexpr unsigned kMaxUnitBits = 6;

}  // namespace skmd::compiler::tuning
