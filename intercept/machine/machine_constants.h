// SPDX-License-Identifier: Apache-2.0
// What is expected of devices before anything was measured, and the times of the driver's own threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skmd::icd::tuning {

// --- expectation.h ---

/// Operations that a compute unit starts in one cycle, by the order of magnitude: lanes of a SIMD unit, or of an SM.
/// Source: eight floats of AVX, 64 to 128 lanes of NVIDIA's SMs, a guess between. For kernels bound by memory such
/// guesses are off by up to 25 times (docs/decisions/exploring-is-paid-for.md).
inline constexpr double kProcessorLanes = 8;
inline constexpr double kAcceleratorLanes = 16;
inline constexpr double kGpuLanes = 64;
/// Megahertz of a device that does not tell its clock. Source: of the order of present devices'.
inline constexpr std::uint32_t kSomeClock = 1000;
/// Seconds of a first use: where a driver compiles at the first launch, as PoCL does, and where code is made while the
/// program is built. Source: docs/decisions/exploring-is-paid-for.md ("Price"); a millisecond was chosen.
inline constexpr double kCompilingSeconds = 0.2;
inline constexpr double kLoadingSeconds = 1e-3;

// --- threads for commands (executor.h) and builds ---

/// Workers that are started for waiting work, at least; more than these and than processors only when nothing moved for
/// kStall. Source: chosen: a few commands that block each other's progress, such as builds, and one that runs.
inline constexpr std::size_t kEagerWorkers = 4;
inline constexpr std::chrono::milliseconds kStall{2};
/// A thread without work leaves after so long. Source: chosen: longer than an application's pauses, so that none is
/// made for each.
inline constexpr std::chrono::seconds kThreadIdle{10};

// --- what former processes measured (knowledge.h) ---

/// How long a launch waits for what is being read of its kernel, once for each kernel; and waits in vain after which
/// none does. A few hundred samples take about so long to be read and fitted, most of it while the program is built.
/// Source: docs/decisions/known-kernels-are-read-while-they-are-built.md.
inline constexpr std::chrono::milliseconds kFirstLaunchWaits{2};
inline constexpr std::uint32_t kMaxVainWaits = 4;
/// How long the process lives before it tends the store, and before it does where the store asks for it soon. A process
/// that ends earlier leaves it to later ones: tending would take longer than the process did. Source: the page above.
inline constexpr std::chrono::milliseconds kBeforeTending{10000};
inline constexpr std::chrono::milliseconds kBeforeTendingSoon{1000};
/// Then the store's connection is closed, and the thread that reads leaves. Source: chosen: programs build one kernel
/// after the other.
inline constexpr std::chrono::seconds kReaderIdle{2};
/// Of the thread that tends. Source: half of the way to the lowest priority.
inline constexpr int kTendingNice = 10;
/// Kernels that are asked for, of a program that makes them for ever. Source: as kMaxEntries of
/// partitioner/model/rate_constants.h.
inline constexpr std::size_t kMaxExpectedKernels = std::size_t{1} << 16;

// --- launches that give way (preempt_settings.h) ---

/// Seconds: SKMD_PREEMPT_MS where it is not set, and the least that may be set. Source: on an H100, launches in pieces
/// of 10 and 5 ms take 0.6 and 1.4 % longer, of 1 ms 6.7 (docs/devices/nvidia.md); below a tenth of a millisecond a
/// piece costs as much as it runs.
inline constexpr double kPreemptSeconds = 0.010;
inline constexpr double kLeastPreemptSeconds = 1e-4;
/// The most that may be set. Source: chosen: a day is as good as `off`, and counts in nanoseconds.
inline constexpr double kMaxPreemptSeconds = 86400;

// --- page-locked memory (host_pages.h) ---

/// A buffer's pages are locked for a device that transferred one part in so many of it. Source: locking all bytes takes
/// about as long as transferring them once; docs/decisions/applications-pages-are-locked.md.
inline constexpr std::uint64_t kLockedAfterPart = 8;

}  // namespace skmd::icd::tuning
