// SPDX-License-Identifier: Apache-2.0
// How launches are shared among threads, how threads wait, and what memory they keep.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skmd::cpu::tuning {

// --- a launch's pieces (kernel_run.cpp), in nanoseconds ---

/// The caller works alone for so long before it asks for help. Source: chosen: what waking others and waiting for them
/// costs; a sleeping thread is awake after 27 us and more (docs/decisions/blocking-executor-threads.md), one that looks
/// for work at once.
inline constexpr double kAlone = 6e3;
/// Handing out a piece costs 20 to 100 ns, more with more threads, and 20 ns where threads tell where they are
/// (docs/decisions/threads-that-share-a-processor-part.md). Source: chosen: thirty times as much.
inline constexpr double kLeastPiece = 3e3;
/// No thread is longer at one piece: another launch, or the system, may have taken its processor. Source: chosen, not
/// measured.
inline constexpr double kMaxPiece = 5e5;
/// The rest of a launch is cut into so many pieces per thread at each taking, so that all end together.
/// Source: chosen, not measured.
inline constexpr std::uint64_t kPiecesPerTaking = 4;

/// Nanoseconds between two looks whether a launch that can be left inside its groups is to yield, where nothing tells
/// of a change meanwhile (partitioner/base/look_again.h). Source: docs/decisions/groups-are-stopped-inside.md.
inline constexpr std::uint64_t kYieldLookNs = 1'200'000;

/// Time between two calls of Yield::ran() by a thread that runs groups one by one. Each call writes cache lines that
/// all threads of the launch read. Groups that a thread has ended before it begins a long one are told behind that one.
/// Source: chosen, not measured: well below kYieldLookNs.
inline constexpr std::chrono::microseconds kTell{100};
/// Bytes between members that different threads write. Source: two lines of x86-64, which some processors fetch in
/// pairs.
inline constexpr std::size_t kCacheLine = 128;

// --- merging (merge_run.cpp) and copying (pool.cpp) ---

/// Pieces per thread, work-items of one and bytes of one at least: small enough that threads end together, large enough
/// that handing out costs nothing. Source: chosen, not measured; the first and the last as in
/// intercept/backend/port/port_constants.h.
inline constexpr std::uint64_t kPiecesPerThread = 8;
inline constexpr std::uint64_t kLeastItems = 16384;
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
/// Bytes that a thread copies at a time. Source: chosen: as kPieceBytes.
inline constexpr std::uint64_t kCopyChunk = std::uint64_t{1} << 20;

// --- the pool's threads ---

/// Threads of a pool that only moves memory: more of them gain nothing. Source: chosen, not measured.
inline constexpr unsigned kMaxThreads = 16;
/// A thread that has done its part looks for more for so long before it sleeps; and so long the caller waits for others
/// to return before it sleeps. Source: chosen: waking it takes about as long
/// (docs/decisions/blocking-executor-threads.md: 27 us at best on the machines with GPUs).
inline constexpr std::chrono::microseconds kLinger{20};
/// Looks at what is waited for between two looks at the clock. Source: chosen, not measured: reading the clock takes
/// about as long as some pauses of the processor.
inline constexpr int kLooksPerClock = 16;
/// A thread that was woken has begun by then, unless it has to wait. Asking the system about one costs a twentieth of
/// it. Source: docs/decisions/threads-that-share-a-processor-part.md.
inline constexpr std::chrono::microseconds kFirstLook{50};
/// Threads that the system is asked about in one look: 2.5 us each. Source: chosen, by that (the same page).
inline constexpr unsigned kMaxAsked = 4;
/// Threads of queues that are kept track of; others leave no processor when asked. Source: chosen, not measured.
inline constexpr std::size_t kMaxServingThreads = 64;

// --- scratch memory (scratch.h) and bitmaps of merges (kept_map.h) ---

/// Bytes of one call. Source: chosen, not measured: far above groups of 4096 items with kilobytes each; a request
/// beyond it is an error, where the system might end the process.
inline constexpr std::uint64_t kMaxScratch = std::uint64_t{1} << 30;
/// Groups with more local memory do not run side by side: it would leave the nearer caches. Source: chosen, not
/// measured: sixteen groups have 256 KiB then, a quarter or more of a core's second cache.
inline constexpr std::uint64_t kMaxLaneBytes = std::uint64_t{16} << 10;
/// Bytes that a thread keeps for its next launch. Source: chosen, not measured.
inline constexpr std::uint64_t kScratchKept = std::uint64_t{16} << 20;
/// Bytes of bitmaps that are kept, of all together. Source: chosen: those of 2 GiB of 8-byte elements; with them
/// rows of 256 bytes merge in 1.9 instead of 2.2 times a copy of the same bytes (bench/micro/merge_bench).
inline constexpr std::uint64_t kMaxKeptMaps = std::uint64_t{32} << 20;
/// Larger maps than needed are taken too, up to this factor: a small merge must not hold what a large one needs.
/// Source: chosen, not measured.
inline constexpr std::uint64_t kMapFactor = 4;

// --- printf (printer.h) ---

/// Bytes of text, and of records of each thread, before text is written out of order. Source: chosen, not measured.
inline constexpr std::size_t kMaxKeptText = std::size_t{1} << 20;

}  // namespace skmd::cpu::tuning
