// SPDX-License-Identifier: Apache-2.0
// Memory that threads keep and touch, and when a device counts as failed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skmd::icd::tuning {

// --- blocks that threads keep (recycled.h) ---

/// Blocks of each size that a thread keeps: two bunches of launches (kBunch of
/// intercept/backend/vendor/vendor_constants.h). Source: docs/decisions/launches-in-a-row-share.md.
inline constexpr std::uint32_t kMaxKeptBlocks = 64;
/// Sizes that are kept, of 64 bytes each: blocks up to a kilobyte. Source: chosen: what a launch's objects take.
inline constexpr std::size_t kKeptSizes = 16;

// --- copies by the host's threads (host_code.h) ---

/// Pieces for each thread, and bytes of a piece at least: small enough that threads end together, large enough that
/// handing out costs nothing. Source: chosen.
inline constexpr std::uint64_t kPiecesPerThread = 8;
inline constexpr std::uint64_t kCopiedPiece = std::uint64_t{1} << 20;
/// Bytes: below this, waking threads costs more than they save. Source: chosen: two threads copy them in 0.4 ms (8 to
/// 10 GB/s; kAssumedCopyEach of intercept/memory/memory_constants.h); a sleeping one is awake after 27 us and more
/// (docs/decisions/blocking-executor-threads.md).
inline constexpr std::uint64_t kThreadedCopy = std::uint64_t{4} << 20;
/// Bytes for one thread to populate. Source: chosen: zeroing them takes some 0.4 ms, longer than waking a thread.
inline constexpr std::uint64_t kPopulated = std::uint64_t{4} << 20;

// --- failures (health.h) ---

/// Failures in a row that could be the requests' own. Source: chosen; docs/failures.md.
inline constexpr std::uint32_t kMaxStrikes = 3;
/// Between two looks whether commands still submit to the device. Source: chosen: a submission takes microseconds.
inline constexpr std::chrono::microseconds kWindowPause{20};

}  // namespace skmd::icd::tuning
