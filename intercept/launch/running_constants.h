// SPDX-License-Identifier: Apache-2.0
// How launches are carried out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::icd::tuning {

/// Work-items of a group where the application leaves the choice: enough to fill a GPU's group, small enough to leave
/// groups to share out. Source: the size that NVIDIA's driver answers for every kernel (docs/devices/nvidia.md).
inline constexpr std::uint64_t kTargetItems = 256;
/// Bytes: uploads of so many keep the thread that submits them for longer than it takes to wake another. Source: a
/// mebibyte takes 0.1 ms and more from pageable memory, a wake-up 27 us
/// (docs/decisions/large-transfers-go-past-the-shadow.md, docs/decisions/blocking-executor-threads.md).
inline constexpr std::uint64_t kMuchUploaded = std::uint64_t{1} << 20;
/// A device's share of a root is written there directly if it has at most so many ranges; or, in rows, if it makes so
/// few runs of equal rows (partitioner/residency/transfer.h), with at most so many rows of so many bytes on average.
/// Source: chosen: a run is one command; box_muller's rows of 64 KiB gain by it
/// (docs/decisions/large-transfers-go-past-the-shadow.md, "Rows"), shorter ones were not measured.
inline constexpr std::size_t kMaxShareRanges = 4;
inline constexpr std::size_t kMaxShareRows = std::size_t{1} << 14;
inline constexpr std::uint64_t kLeastShareRow = 4096;
/// Part of an exploring launch's groups from which on it counts as the launch of the device that runs them: others only
/// explore. Source: chosen: exploring slices are a few groups in a hundred (docs/decisions/exploring-is-paid-for.md),
/// and of two devices that share a launch neither has so many where the other one is worth it.
inline constexpr double kMainSlice = 0.75;
/// Devices that fail for good with a launch, then it is given up: a kernel that took so many down is itself to blame.
/// Source: chosen: one may have had a fault of its own.
inline constexpr int kMaxFatal = 2;
/// Work-items of a merge kernel's groups. Source: docs/decisions/merge-kernels-on-devices.md.
inline constexpr std::uint64_t kMergeGroupItems = 256;

// --- launches in pieces (slice_pieces.h, paces.h) ---

/// Work-items that a GPU's compute unit holds at once. Source: CUDA's programming guide: 2,048 threads on most NVIDIA
/// GPUs, less on some. Why pieces are to fill it: docs/decisions/long-launches-give-way.md.
inline constexpr std::uint64_t kItemsPerUnit = 2048;
/// Pieces of a launch that SKMD_TEST_PREEMPT may cut below kItemsPerUnit for. Source: chosen: enough for launches of
/// few groups to be stopped, and few enough that launches of groups of 0.1 s end in seconds.
inline constexpr std::uint64_t kTestedPieces = 16;
/// Launches of a kernel and size that are run in pieces without its time being known afterwards. Source: chosen: times
/// of first uses do not count, so one is too few.
inline constexpr std::uint32_t kMaxUntimed = 4;

// --- launches that are divided anew (rebalancing.h) ---

/// Nanoseconds until the slices of a launch are first looked at, if none ends before, and between two looks. Source:
/// chosen: a look takes less than a microsecond, a stop half a millisecond and more.
inline constexpr std::uint64_t kFirstLookNs = 2'000'000;
inline constexpr std::uint64_t kLookAgainNs = 1'000'000;
/// Seconds from a stop's request until the CPU driver is free. Source: its threads look between pieces of half a
/// millisecond at most (kMaxPiece of cpu-driver/runtime/runtime_constants.h), and are free at once where it has yield
/// points.
inline constexpr double kStopBetweenGroups = 0.0005;

// --- profiling mode ---

/// Launches of a kernel that are profiled. An application that launches it with another scalar each time would be
/// profiled without end. Source: so many hold more sizes than a model can use (kMaxFitPoints of
/// partitioner/model/fit_constants.h).
inline constexpr std::size_t kMaxProfiledLaunches = 16;
/// A cache is emptied by filling so many times as much: caches do not always replace what is oldest. Source:
/// docs/decisions/profiling-runs-on-copies.md.
inline constexpr std::uint64_t kTimesTheCache = 2;
/// Bytes that are filled at most, on a device with a memory of its own and on a processor that is treated as one. The
/// latter empties what belongs to one core; its last cache may have hundreds of megabytes. Source: chosen: several
/// times present GPUs' caches (50 MiB on an H100), and a core's caches.
inline constexpr std::uint64_t kMaxFilled = std::uint64_t{512} << 20;
inline constexpr std::uint64_t kMaxFilledOnHost = std::uint64_t{4} << 20;

/// How much longer than a kernel's own its code may take that can be stopped inside of groups, and in how many launches
/// it is timed: the least counts, since a launch that gave way to others may be slow for that. Source: chosen: what
/// a user would see who is alone on the machine.
inline constexpr float kMaxInside = 1.12f;
inline constexpr std::uint32_t kTimedInside = 3;
/// How unlike the times of two launches of a kernel on a device may be that is taken to be as fast as before. Source:
/// chosen: more than kMaxInside, so that a change of code is none of speed, and about as much as makes a slice slow
/// (kSlowSlice of partitioner/plan/rebalance_constants.h).
inline constexpr float kMaxUnsteady = 1.3f;
/// A launch that waits for memory leaves its device after so long, on devices that do not see a request to: what it
/// waits for is written meanwhile. Source: chosen: a few times what a launch costs, which is what waiting costs there.
inline constexpr std::uint64_t kWaitingQuantumNs = 100'000;
/// Spans of groups with work-items that left a device, of one slice: each goes on by itself. Source: chosen: each costs
/// some transfers, and a span that joins two the bytes of the groups between.
inline constexpr std::size_t kMaxLeftSpans = 8;

}  // namespace skmd::icd::tuning
