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
/// Work-items of a group where the vendor's device does not tell its limit. Source: what PoCL tells.
inline constexpr std::uint64_t kUsualGroup = 4096;
/// Bytes that are filled at a time, a multiple of every pattern's size. Source: chosen: as kCopiedPiece of
/// intercept/backend/port/port_constants.h.
inline constexpr std::uint64_t kFilledPiece = std::uint64_t{1} << 20;

}  // namespace skmd::icd::tuning
