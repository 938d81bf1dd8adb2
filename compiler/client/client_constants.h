// SPDX-License-Identifier: Apache-2.0
// Limits of the helper that compiles, and of what is kept of its answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace skmd::compiler::tuning {

// --- the helper (process.h) ---

/// Processor time and memory of one run: programs that need more fail to build, with a log that says so.
/// Source: chosen, not measured: the largest programs take seconds; the stack of 512 MiB is taken out of the memory.
inline constexpr unsigned kHelperProcessorSeconds = 120;
inline constexpr std::uint64_t kHelperBytes = std::uint64_t{4} << 30;
/// Wall-clock time: other processes use the processors too. Source: chosen: five times the processor time.
inline constexpr unsigned kHelperSeconds = 600;
/// Seconds from the soft limit of processor time, at which the helper says so, to the hard one, at which it is killed.
/// Source: chosen, not measured: the answer of that moment is made already, and only written.
inline constexpr unsigned kSecondsForCrashReport = 5;
/// Bytes of the stack of each of the two processes on the way to the helper, which only make system calls.
/// Source: chosen, not measured: far above what functions without arrays take.
inline constexpr std::size_t kStackBytes = 64 * 1024;

// --- answers in memory and on disk (client.h, cache.h, sweep.h) ---

/// Answers with code that were asked for ahead, and are kept for several programs that are built at once; older ones
/// are not expected to be requested. Source: chosen, not measured.
inline constexpr std::size_t kMaxAhead = 16;
/// Bytes of all entries of the cache folder. Source: chosen, not measured: little beside what home
/// folders have room for.
inline constexpr std::uint64_t kDefaultCacheBytes = std::uint64_t{1} << 30;
/// Sweeps of the folder while as many bytes are stored as it may hold: it may be above its limit by such a part, and a
/// sweep looks at all entries. Source: chosen.
inline constexpr std::uint64_t kSweepsPerLimit = 16;
/// Bytes of an entry that is read: what is larger is no entry of ours. Source: chosen: four times kDefaultCacheBytes.
inline constexpr std::uint64_t kMaxEntryBytes = std::uint64_t{1} << 32;
/// An entry's time of last use is as exact as this: setting it at each use would write to the disk at each build.
/// Source: chosen: sweeps tell apart what is days old.
inline constexpr std::time_t kSecondsBetweenTouches = 3600;
/// Age of an unfinished file that is removed. Source: chosen: storing an entry takes milliseconds.
inline constexpr std::time_t kLeftoverSeconds = 3600;

}  // namespace skmd::compiler::tuning
