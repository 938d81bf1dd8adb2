// SPDX-License-Identifier: Apache-2.0
// Which sizes are measured, and how the time is divided among them. "The page" is
// docs/decisions/calibration-happens-in-the-library.md.
#pragma once

#include <cstdint>

namespace skmd::icd::calibration::tuning {

/// Bytes: sizes up to this are always measured, also when the time is used up. Source: the page.
inline constexpr std::uint64_t kAlways = std::uint64_t{4} << 20;
/// Bytes of the smallest read, and transfer. Source: below a core's first cache, and below what a link's latency hides.
inline constexpr std::uint64_t kLeastRead = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kLeastTransfer = 1024;
/// Bytes of the largest read, above the last caches of present-day machines, and of most of them; and of the largest
/// transfer. Source: chosen.
inline constexpr std::uint64_t kMaxRead = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kMaxReadQuick = std::uint64_t{1} << 28;
inline constexpr std::uint64_t kMaxTransfer = std::uint64_t{1} << 28;
/// Seconds: less is for fewer sizes. Source: an H100 takes 5.3 s so, and 30.8 in all (the page).
inline constexpr double kQuick = 10.0;
/// Parts of the time: of a device, of a direction of a link, of two things at once. Source: chosen, by the number of
/// sizes.
inline constexpr double kDeviceWeight = 1.0;
inline constexpr double kLinkWeight = 0.75;
inline constexpr double kTogetherWeight = 0.2;
/// Bytes at a time of two things at once: several in the shortest time. Source: half a millisecond on a link.
inline constexpr std::uint64_t kTogether = std::uint64_t{1} << 25;

/// Of a device's time; bandwidth gets the rest, being measured at some fifteen sizes. Source: chosen.
inline constexpr double kLaunchTime = 0.1;
inline constexpr double kBoxTime = 0.1;
inline constexpr double kFirstUseTime = 0.15;
/// Launches in a row: the first one's way to the device counts little then; and boxes of one launch. Source: chosen.
inline constexpr std::uint32_t kInARow = 64;
inline constexpr std::uint32_t kBoxes = 16;
/// Seconds that clocks tell apart. Source: a nanosecond, the unit of profiling times.
inline constexpr double kLeastSeconds = 1e-9;
/// Seconds of a read beside which a launch's own cost, some 10 us, does not count. Source: chosen: five hundred times
/// it.
inline constexpr double kLongRead = 5e-3;
/// Passes of a read, and by how many times more from one try to the next: the first one may be slow for other reasons.
/// Source: chosen.
inline constexpr std::uint32_t kMaxPasses = 1u << 15;
inline constexpr double kMaxGrowth = 16.0;

/// Bytes by which numbers of threads are compared: many times what they have under their hands; and the part of the
/// time of staged transfers for it. Source: the pieces of kPinnedPieces of intercept/backend/vendor/vendor_constants.h,
/// twice.
inline constexpr std::uint64_t kThreadsTransfer = std::uint64_t{32} << 20;
inline constexpr double kThreadsTime = 0.3;

/// Work-items of a group of the kernels that read; fewer where a device takes no more. Source: as kTargetItems of
/// intercept/launch/running_constants.h.
inline constexpr std::uint64_t kReadingGroup = 256;
/// A read takes one part in so many of the device's memory at most. Source: chosen.
inline constexpr std::uint64_t kMemoryPart = 8;

}  // namespace skmd::icd::calibration::tuning
