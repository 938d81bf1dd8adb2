// SPDX-License-Identifier: Apache-2.0
// How large the profile database and what waits beside it may be, what is read of it, and how long it is waited for.
// "The page" is docs/decisions/samples-wait-beside-the-database.md, "known" is
// docs/decisions/known-kernels-are-read-while-they-are-built.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skmd::profiler::tuning {

// --- the file (database.h, writer.cpp) ---

/// Bytes of the file. Source: chosen, not measured.
inline constexpr std::uint64_t kMaxDatabaseBytes = std::uint64_t{64} << 20;
/// Samples of one kernel, device, size and tag. Source: chosen, not measured
/// (docs/decisions/what-is-measured-is-used.md says which ones go).
inline constexpr std::int64_t kSamplesOfASize = 256;
/// Milliseconds to wait for another process's transaction: of a command; of a thread whose answer is of use for the
/// next launches; of a thread that takes in shipped profiles, whose end no other thread waits for. Source: chosen: a
/// commit takes up to 80 ms where others write ("known").
inline constexpr int kPatience = 5000;
inline constexpr int kPatienceOfLaunches = 1000;
inline constexpr int kPatienceOfShipped = 5000;
/// While samples are added the file may grow by one part in so many of its limit, and then has one in so many to spare.
/// Source: chosen, not measured.
inline constexpr std::uint64_t kGrowthPart = 32;
inline constexpr std::uint64_t kSparePart = 16;
/// Bytes of a sample in the file without its line: digest, indexes, free room. Source: chosen, not measured; kSparePart
/// is there for what it is wrong by.
inline constexpr std::uint64_t kBesideLine = 512;
/// Rounds of removing an eighth of the samples. Source: chosen: each removes one at least, and 256 leave none of any
/// file's.
inline constexpr int kMaxRounds = 256;
/// Tries to open the file while other processes put files in its place. Source: chosen, not measured.
inline constexpr int kOpenings = 5;
/// Damaged files of one day whose names are free. Source: chosen.
inline constexpr int kMaxDamagedOfADay = 1000;
/// Bytes: of larger databases not every page is looked at before samples are added, behind each application.
/// Source: 28 MB took 50 ms.
inline constexpr std::uint64_t kInspectedBytes = std::uint64_t{4} << 20;
/// Age of files that a process was making, which then was stopped. Source: chosen: a day is longer than any process
/// takes.
inline constexpr std::chrono::hours kMakingTakes{24};

// --- samples that wait beside it (journal.h) ---

/// Bytes of one file: a process's samples in most cases. Source: the page.
inline constexpr std::size_t kJournalBytes = std::size_t{1} << 20;
/// Files of a process, which then stops recording; and of all processes: then no more are made until some were taken
/// in. Source: chosen, not measured: 16 and 64 MiB.
inline constexpr std::uint32_t kMaxJournals = 16;
inline constexpr std::size_t kMaxWaiting = 64;
/// Number of a kind's samples up to which kSampleWorth decides; then only those whose number is a power of two are
/// recorded. Source: kSamplesOfASize, what the database keeps.
inline constexpr std::uint64_t kPaidForOfTheFirst = 256;
/// Number of a kind's samples up to which all are recorded. Source: as many as are timed at first
/// (kFirstTimed of intercept/launch/decision_constants.h).
inline constexpr std::uint64_t kFewOfTheFirst = 8;
/// Seconds of launches of a kind between two later samples, at least. Source: chosen: recording took 4.3 us a launch on
/// a Zen 3 (docs/decisions/samples-wait-beside-the-database.md), a hundredth of it.
inline constexpr double kSampleWorth = 0.5e-3;
/// Kinds that are told apart; more are not recorded. Source: chosen, not measured.
inline constexpr std::size_t kMaxKinds = 1u << 16;
/// Files that wait, from which on a process takes them in sooner. Source: chosen: 16 MiB, a quarter of the database.
inline constexpr std::size_t kManyJournals = 16;

// --- what is read for launches (stored_profile.cpp) ---

/// The newest samples of one tag and number of groups, and of all of these: reading and fitting take about a
/// millisecond. Source: "known".
inline constexpr std::int64_t kReadOfASize = 32;
inline constexpr std::int64_t kMaxRead = 256;
/// The latest versions of a driver that was updated again and again. Source: chosen, not measured.
inline constexpr std::size_t kMaxVersions = 8;

}  // namespace skmd::profiler::tuning
