// SPDX-License-Identifier: Apache-2.0
// Keeps the cache folder within its limit. No daemon, no record: a process that stores an entry sweeps now and then.
#pragma once

#include <cstdint>
#include <string>

namespace skmd::compiler {

inline constexpr const char* kEntrySuffix = ".compiled";
inline constexpr const char* kUnfinishedSuffix = ".part";

/// If the entries take more than `limit` bytes: removes the least recently used until three quarters of `limit` are
/// left. Also removes unfinished files that are an hour old or older. Touches no other files, and none of other users.
/// Other processes may sweep the same folder at the same time.
void sweep(const std::string& folder, std::uint64_t limit);

/// True if the caller, who has stored `bytes`, should sweep now. Random, so that about sixteen sweeps happen for each
/// `limit` bytes stored, for any number of processes.
bool time_to_sweep(std::uint64_t bytes, std::uint64_t limit);

/// A random name, unique across processes: a process id would not do, since applications in different containers may
/// share one.
std::string unique_name();

}  // namespace skmd::compiler
