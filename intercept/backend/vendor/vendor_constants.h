// SPDX-License-Identifier: Apache-2.0
// How vendors' drivers are driven: transfers through page-locked memory, threads that look for ends, and waits at the
// process's end. "The page" is docs/decisions/large-transfers-go-past-the-shadow.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skmd::icd::tuning {

// --- page-locked memory (pinned_pieces.h) ---

/// Bytes. Smaller transfers gain nothing from staging. Source: the page.
inline constexpr std::uint64_t kStagedLeast = std::uint64_t{4} << 20;
/// Bytes. Narrower rows are left to the driver: what a thread saves by copying them, the device loses by fetching them.
/// Source: chosen: a few cache lines.
inline constexpr std::uint64_t kStagedWidth = 256;
/// Bytes of one piece: large enough that a thread's copy hides the cost of an enqueue. Source: the page: pieces of 256
/// KiB take three times as long.
inline constexpr std::uint64_t kPinnedPiece = std::uint64_t{1} << 20;
/// More threads than these do not copy faster than a link moves; each has one piece on the link and copies another.
/// Source: the page.
inline constexpr std::size_t kStagingThreads = 8;
inline constexpr std::size_t kPinnedPieces = 2 * kStagingThreads;
/// For one read of few bytes each, or a part of one that is not large. Applications that read little seldom wait for
/// several reads at a time. Source: the page.
inline constexpr std::uint64_t kSmallPiece = kPinnedPiece;
inline constexpr std::size_t kSmallPieces = 4;
/// Reads that are asked for before these are made: making them takes as long as this many reads save. Source: the page.
inline constexpr std::uint32_t kReadsBeforePieces = 16;

// --- the native queue ---

/// Bytes of a fill's pattern: vendors fill slowly with narrow ones. Source: chosen: a vector of four 32-bit numbers.
inline constexpr std::size_t kWideFill = 16;
/// Bytes of a read that is waited for inside its enqueue, at most: other submitting threads are blocked meanwhile.
/// Source: the page.
inline constexpr std::uint64_t kMaxInside = std::uint64_t{1} << 20;
/// Sub-buffers of one buffer that are kept: few of the application's are alive at once. Source: chosen.
inline constexpr std::size_t kMaxViews = 256;

// --- threads that look for ends (submission_queue.h) ---
// Source of all: docs/decisions/progress-threads-glance.md.

/// A wake-up at every submission costs more than the submission; this is how late an end may be noticed instead, while
/// no thread waits for it and launches keep coming. Source: the page above.
inline constexpr std::chrono::microseconds kGlance{50};
/// The same where each look takes the only processor from the thread that launches. Source: the page above: 0.5 and
/// 100 ms were measured, a millisecond itself was not.
inline constexpr std::chrono::microseconds kGlanceOnOneProcessor{1000};
/// Glances without any submission in between, before the thread sleeps until it is woken. Source: chosen: a
/// millisecond.
inline constexpr std::uint32_t kQuietGlances = 20;
/// A submitting thread looks once in so many batches whether older ones have ended: on NVIDIA's driver the event for
/// that, the query and the batch's status cost 5 us together, more than a launch. Source: the page above.
inline constexpr std::uint64_t kBunch = 32;
/// As many submissions between two glances mean a thread that launches in a row: an end is noticed within 4 kBunch of
/// them, half a millisecond. Source: chosen: a launch in a row takes 4 to 6 us on an H200 (the page above).
inline constexpr std::uint64_t kRow = 8;

// --- clocks ---

/// Nanoseconds in which the clocks of device and host drift by one. An H200's clock gains 1 us on its host's in a
/// second; where one of the two is being set right, up to 500, and the bounds contradict each other before long.
/// Source: docs/decisions/times-by-the-devices-clock.md.
inline constexpr std::uint64_t kTimePerDrift = 50000;

// --- registers of kernels that can be stopped inside of work-groups (vendor_stoppable.cpp) ---

/// Registers of a work-item, tried in this order. NVIDIA's multiprocessors have 65,536 for 2,048 work-items, 32 each;
/// with 40, 48 and 64 they hold 1,638, 1,365 and 1,024. Source: docs/devices/nvidia.md.
inline constexpr std::uint32_t kRegisterLimits[] = {32, 40, 48, 64};
/// Bytes that a limit may put into a work-item's memory. Sixteen values, of those that are not used in the inner loops
/// as far as the compiler chooses well. Source: docs/decisions/groups-are-stopped-inside.md.
inline constexpr std::uint64_t kMaxSpilledBytes = 64;

// --- probes of a driver (driver_probe.h) ---

/// Bytes of the first fill and of the last one, processor time of the enqueue that means it did the work itself (well
/// above what one costs), and fills that have to agree. Source: chosen: an enqueue takes microseconds, filling 64 MiB
/// several milliseconds.
inline constexpr std::size_t kFirstProbed = std::size_t{1} << 20;
inline constexpr std::size_t kMaxProbed = std::size_t{1} << 26;
inline constexpr std::uint64_t kBlockedNs = 500'000;
inline constexpr int kProbes = 3;

// --- devices in other machines (native_queue.h, far_wait.h) ---

/// Bytes of the parts in which a transfer goes over the network, several under way at once: the far end copies one
/// while the next arrives. Source: docs/decisions/hosts-are-reached-through-pocl.md, against one piece; other sizes
/// were not measured.
inline constexpr std::uint64_t kFarPiece = std::uint64_t{2} << 20;

/// kGlance for such a device: as late as its answers are anyway. Source: round trips of 0.15 to 0.3 ms between two
/// hosts (docs/results/remote.md), in which a glance every 50 us would find nothing.
inline constexpr std::chrono::microseconds kFarGlance{250};
/// Silence after which a device is asked whether it is available. Source: chosen: a hundred times what a busy network
/// delays a packet for; a link that is away for less goes on by itself.
inline constexpr std::chrono::seconds kSilence{2};
/// Between two looks at whether another thread has found the device gone; and between two at an event of whose end the
/// driver does not tell. Source: chosen: short beside kSilence; about a round trip.
inline constexpr std::chrono::milliseconds kFarLook{50};
inline constexpr std::chrono::microseconds kFarAsk{200};

// --- launches that are stopped inside of work-groups (stoppable_run.h) ---

/// States of groups that one launch is given: bytes of device memory. Source: chosen: some waves of a large GPU's
/// work-items at 48 bytes each, of which only those that have begun when the quantum is over hold anything.
inline constexpr std::uint64_t kStateBytes = std::uint64_t{64} << 20;
/// Groups that a launch is given at least, if it has them, in two lists where it is given runs ahead: as many as a
/// device holds at once, which may wait for each other. Source: chosen: above 132 multiprocessors of an H100 with up to
/// 32 groups each.
inline constexpr std::uint64_t kLeastGroups = 8192;
/// Of a quantum, what a run takes where two are under way (StoppableRun::Native::ahead). Source: chosen: a stop waits
/// for both, two thirds of SKMD_PREEMPT_MS, and the rest is for states; docs/results/preempt.md.
inline constexpr double kAheadQuantum = 2.0 / 3;
/// Lists of groups that may be taken while the oldest one has groups left. Source: chosen: what has ended behind those
/// is kept group by group if the launch is stopped.
inline constexpr std::uint64_t kMaxListsAhead = 4;
/// Bytes of a piece of page-locked host memory for states, and pieces of a device: one is read into while the one
/// before is still written from. Source: chosen: three times the states of matrix_multiplication's groups on an H100
/// (docs/decisions/groups-are-stopped-inside.md); more go through ordinary memory.
inline constexpr std::uint64_t kStatePiece = std::uint64_t{32} << 20;
inline constexpr std::size_t kStatePieces = 2;
/// Nanoseconds of a launch that is to stop before it begins: groups that begin have done something before they leave,
/// so that a launch comes to its end however often it is stopped. Source: chosen: some times what a launch costs.
inline constexpr std::uint64_t kStoppingQuantumNs = 100'000;
/// The unit of a kernel's quantum. Source: what kernels divide the device's nanoseconds by, so that 32 bits last for an
/// hour.
inline constexpr std::uint64_t kClockUnitNs = 1024;
/// On devices without a clock: looks after which a group leaves, at first and at most; between, they follow the time
/// that launches take. Source: chosen: a look is made every thousand instructions or so.
inline constexpr std::uint32_t kFirstFuel = 64;
inline constexpr std::uint32_t kMaxFuel = std::uint32_t{1} << 30;

// --- launches that work-items leave where they would trap (trap_run.h) ---

/// Records of the items of one part of a launch: bytes of device memory at most, and as a part of all of it. Source:
/// chosen: some million items at 48 bytes each; what no item leaves is never touched. Where none leaves, also the
/// items of a part.
inline constexpr std::uint64_t kTrapBytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kTrapShare = 64;
/// Where more than one item in so many left a part of a launch, later parts do not begin. Source: chosen: an item that
/// leaves costs some thousand times as much as one that does not.
inline constexpr std::uint64_t kManyTraps = 16;

// --- a driver that another process asks (discovery/ask_ahead.h) ---

/// Seconds that it may take, elapsed and of processor time; later the driver is loaded here. Source: chosen: a hundred
/// times what PoCL takes.
inline constexpr unsigned kAskSeconds = 5;

// --- the process's end (vendor_visit.h) ---

/// How long exit() waits for threads in vendors' calls, and for their compilers, which crash where the process goes
/// away under them; and between two looks. Source: chosen: calls take microseconds, builds seconds.
inline constexpr std::chrono::milliseconds kLongestVisit{100};
inline constexpr std::chrono::seconds kLongestCompiler{30};
inline constexpr std::chrono::microseconds kVisitLook{50};

}  // namespace skmd::icd::tuning
