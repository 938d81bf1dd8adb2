// SPDX-License-Identifier: Apache-2.0
// The CPU driver's queue and memory.
#pragma once

#include <chrono>
#include <cstdint>

namespace skmd::icd::tuning {

/// A thread that has ended a batch, or waits for one, looks for so long before it sleeps: small launches follow each
/// other, and end, sooner than a sleeper wakes. Source: chosen: a sleeper is awake after 27 us and more
/// (docs/decisions/blocking-executor-threads.md).
inline constexpr std::chrono::microseconds kLinger{20};
/// A thread that waits for a batch so soon after the first of a row was submitted is expected to do so again, and the
/// queue's thread, once awake, leaves it the next row's first batch for so long: the thread that waits is awake, and
/// its caches hold what it wrote. Source: chosen: several times what five launches take to be enqueued and decided, and
/// less than a sleeper takes to wake (docs/decisions/blocking-executor-threads.md).
inline constexpr std::chrono::microseconds kHelpedSoon{100};
inline constexpr std::chrono::microseconds kLeftToHelper{25};
/// Where such a thread is expected, the queue's thread is not woken for a row: it looks by itself so often, as long as
/// batches come, and for so many times after the last. Source: to wake a thread takes the application's thread 11 us on
/// two virtual cores of a Zen 4, with which a launch of a microsecond is submitted; a row that is left alone begins up
/// to a millisecond late.
inline constexpr std::chrono::milliseconds kDoze{1};
inline constexpr int kDozes = 4;
/// Work-items of a group where the vendor's device does not tell its limit. Source: what PoCL tells.
inline constexpr std::uint64_t kUsualGroup = 4096;
/// Bytes that are filled at a time, a multiple of every pattern's size. Source: chosen: as kCopiedPiece of
/// intercept/backend/port/port_constants.h.
inline constexpr std::uint64_t kFilledPiece = std::uint64_t{1} << 20;

}  // namespace skmd::icd::tuning
