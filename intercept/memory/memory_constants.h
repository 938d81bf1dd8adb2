// SPDX-License-Identifier: Apache-2.0
// Which way bytes go, what transfers teach, and what is guessed of a root's uses. "The page" is
// docs/decisions/large-transfers-go-past-the-shadow.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "partitioner/plan/partition.h"

namespace skmd::icd::tuning {

// --- rates of links (link_rates.h) ---

/// How transfers of different sizes fare, on all links inside a machine: 12 us for the smallest, 7 to 8 GB/s at a
/// mebibyte, 17 at eight, 32 to 44 from 64 on. Source: curves of an H100 and an H200 through our staging threads
/// (profiles/: nvidia-*.jsonl, "staged" and "pinned").
inline constexpr domain::LinkShape kLinkShape{12e-6, 0.3, 170e-6};
/// Bytes per second of a link that was never used. Too high a guess is corrected by the first transfer; too low a one
/// keeps the link from being used, and is never corrected. Source: the middle of those curves.
inline constexpr double kAssumedLink = 35e9;
/// Bytes per second of copies inside host memory until one was timed, for each thread and at most: a little more than
/// was measured, for the same reason. Source: 8 to 10 GB/s on two threads, 50 on 16 and 65 on 32 of Xeons.
inline constexpr double kAssumedCopyEach = 5e9;
inline constexpr double kMaxAssumedCopy = 70e9;
/// Bytes that tell a link's rate or that of copies in caches, and the rate of all copies: smaller ones are in caches.
/// Source: docs/decisions/calibration-happens-in-the-library.md ("Rates are those of large transfers"); 4 MiB are
/// copied at 36 GB/s by two cores of a Zen 4, on which 10 are assumed.
inline constexpr std::uint64_t kLeastTelling = std::uint64_t{1} << 18;
inline constexpr std::uint64_t kLeastCopied = std::uint64_t{16} << 20;
/// Bytes from which on writes past the shadow teach a link's rate, by the host's clock: the device's would cost an
/// event for each piece that goes through page-locked memory. Source: docs/decisions/rounds-count-whole.md.
inline constexpr std::uint64_t kLeastTimedWrite = std::uint64_t{16} << 20;
/// Bytes from which on they may show that a link is faster than it is taken for. Source: chosen: of fewer, threads take
/// as long to begin as the link takes (0.17 ms for 6 MiB at kAssumedLink).
inline constexpr std::uint64_t kLeastBoundingWrite = std::uint64_t{6} << 20;
/// Bytes of transfers from or to page-locked memory of which the device's own time is asked for, which costs it some
/// 10 us: of so many first ones, and of one in so many later. Source: 4 MiB take 80 us on an H100's link; the numbers
/// are chosen like kFirstTimed and kOftenestTimed of intercept/launch/decision_constants.h.
inline constexpr std::uint64_t kLeastAsked = std::uint64_t{4} << 20;
inline constexpr std::uint32_t kFirstAsked = 8;
inline constexpr std::uint32_t kEachAsked = 32;
/// Weight of the newest transfer. Source: as that of a rate (kNewestRate of partitioner/model/rate_constants.h).
inline constexpr double kNewestTransfer = 0.25;
/// Transfers after which a link's rate is believed, and among which a faster one replaces what the ones before told.
/// Source: two H200, black_scholes: after the first transfers of the second GPU, which make page-locked memory, plans
/// counted 29.7 and 19.1 ms for all bytes to it and from it, and 19.5 and 15.8 seven launches later. Chosen: one such
/// transfer of each link.
inline constexpr std::uint32_t kSettledTransfers = 2;
inline constexpr std::uint32_t kEarlyTransfers = 3;
/// Transfers until which a link is taken for one like that of a device of the same make that has told more. Source: two
/// H200: after two rounds of vector_add, four transfers to the second GPU, plans counted 13.6 ms for all bytes to it
/// and 11.8 to the first; box_muller's results 46 ms and 30 after three rounds, 41 and 38 after eight.
inline constexpr std::uint32_t kOwnTransfers = 8;
/// Part of the measured time that is taken for the bytes' own, at least. Source: chosen: so that a transfer that was as
/// short as its fixed cost tells a finite rate.
inline constexpr double kLeastOwnPart = 0.1;

// --- links to other machines (link_rates.h, far_links.h) ---

/// Bytes per second and seconds that are assumed until a link was measured, which is soon: too high a rate and too
/// short a round trip, for the reason of kAssumedLink. Source: a network of 10 Gbit/s; PoCL's remote driver takes 60 us
/// above the network's own round trip (its authors), which is 20 to 40.
inline constexpr double kAssumedNetwork = 1.25e9;
inline constexpr double kAssumedRoundTrip = 100e-6;
/// Bytes of a transfer whose time by the driver tells such a link's rate: smaller ones are in the sockets' buffers
/// before a thread looks, and seem to have taken no time (128 KiB at 10 to 40 GB/s were seen). Source: Linux's largest
/// buffers of a socket, 4 MiB to send.
inline constexpr std::uint64_t kLeastTellingFar = std::uint64_t{4} << 20;
/// Bytes of the transfers by which a link is measured, how often the smallest is made, and seconds that the largest may
/// take by what the middle one told. Source: chosen: 20 ms in all, with eight round trips, the least of which counts,
/// since launches may occupy the processors meanwhile, and a mebibyte, twice each way.
inline constexpr std::uint64_t kFarSmall = 64;
inline constexpr std::uint64_t kFarMiddle = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kFarLarge = std::uint64_t{1} << 20;
inline constexpr int kFarRounds = 8;
inline constexpr double kFarLongest = 5e-3;

// --- past the shadow (direct_bytes.cpp) ---

/// Bytes: a smaller write costs less in the shadow than a command of its own, and fewer that are read may stay there
/// for the next read. Writes below this are compared with what is there. Source: the page;
/// docs/decisions/equal-writes-move-nothing.md.
inline constexpr std::uint64_t kLeastDirect = std::uint64_t{32} << 10;
/// Bytes: from here on a write before a process's first launch goes to the device that the launch is expected on.
/// Smaller ones take less than a millisecond in either place, and small launches may run on the processor. Source: the
/// page ("before the first launch").
inline constexpr std::uint64_t kLeastFirst = std::uint64_t{4} << 20;
/// Bytes that are written where no device may be waited for; what is read of a buffer that several devices use is
/// copied twice up to this size. Source: the page ("a write of more than a megabyte").
inline constexpr std::uint64_t kMaxShadowed = std::uint64_t{1} << 20;

// --- copies, fills and fetches ---

/// Bytes of pieces that go through host memory when they are valid there: a native copy or fill costs a round trip.
/// Source: the page.
inline constexpr std::uint64_t kSmallCopy = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kSmallFill = std::uint64_t{64} << 10;
/// Bytes: fewer come in one piece, or by the driver's own copy. Source: the page.
inline constexpr std::uint64_t kLeastInPieces = std::uint64_t{1} << 20;
/// Bytes: of fewer, half a piece is fetched at a time, so that more threads have something to copy at the end; and
/// pieces of each device that are asked for before other threads are awake. Source: the page.
inline constexpr std::uint64_t kFewFetched = std::uint64_t{16} << 20;
inline constexpr std::size_t kAskedAhead = 4;
/// Bytes: pieces of fewer cost more than a vendor's own copy, as each is a command. Source: chosen: what a few
/// microseconds' enqueue moves (the page).
inline constexpr std::uint64_t kWorthACommand = std::uint64_t{64} << 10;

// --- what devices exchange (exchange_blocks.h) ---
// Source of all: docs/decisions/what-is-exchanged-is-page-locked.md.

/// Times that bytes go from a device to another after which they have memory of their own. Source: chosen: making and
/// locking it takes about as long as an exchange; after as many more are likelier than not.
inline constexpr unsigned kExchanges = 4;
/// Bytes of such a part: fewer gain a few microseconds. Source: chosen: 256 KiB take 35 us of pageable memory at 7.5
/// GB/s (the page's figures).
inline constexpr std::uint64_t kLeastExchanged = std::uint64_t{256} << 10;
/// Bytes of its memory; blocks of a root; and bytes of all blocks of the process. Source: chosen: borders of slices
/// have megabytes, making 64 MiB takes 13 ms (0.2 a megabyte), and what is locked is lost to other programs.
inline constexpr std::uint64_t kMaxExchanged = std::uint64_t{64} << 20;
inline constexpr std::size_t kMaxExchangeBlocks = 16;
inline constexpr std::uint64_t kMaxAllExchanged = std::uint64_t{512} << 20;

// --- room on devices (device_memory.h) ---

/// One part in so many of what a device reports is left to its driver: contexts, code, stacks, other processes. Source:
/// docs/decisions/devices-drop-what-was-not-used-for-longest.md. Chosen and not measured: some hundred megabytes are
/// usual on GPUs of 80 GB, of which this leaves 2.5. Where it is too little, allocations fail, and room is made then.
inline constexpr std::uint64_t kDriversPart = 32;
/// Between two looks at what is in use; and looks in a row that find nothing that could go, until it is believed that
/// nothing will: half a second. Source: chosen.
inline constexpr std::chrono::microseconds kRoomPause{100};
inline constexpr std::uint32_t kMaxRoomPauses = 5000;

// --- waiting ---

/// Times that a submission tries to lock its roots. Another submission holds them for microseconds; a thread that moves
/// bytes holds them for longer than is worth waiting for. Source: chosen.
inline constexpr int kLockTries = 32;
/// Between two tries of what needs memory, where there was none. Source: chosen: other threads have to give some back.
inline constexpr std::chrono::milliseconds kMemoryPause{1};

// --- uses of a root (rounds.h) ---

/// Rounds of a write and launches in a row after which the next one is expected to follow; launches of such a round at
/// most: after more, what is written is kept for long. Source: docs/decisions/rounds-count-whole.md.
inline constexpr std::uint32_t kSteadyRounds = 2;
inline constexpr std::uint32_t kMaxLaunchesOfARound = 8;

}  // namespace skmd::icd::tuning
