// SPDX-License-Identifier: Apache-2.0
// Keeps the cache folder within its limit. No daemon, no record: whoever stores an entry sweeps now and then.
#pragma once

#include <cstdint>
#include <string>

namespace skmd::compiler {

inline constexpr std::uint64_t kDefaultCacheBytes = std::uint64_t{1} << 30;
inline constexpr const char* kEntrySuffix = ".compiled";
inline constexpr const char* kUnfinishedSuffix = ".part";

/// Removes the entries that were not used for longest until three quarters of `limit` are left, if there is more than
/// `limit`; and what writers left that were killed an hour ago or earlier. Touches nothing else, and nobody else's
/// files. Others may sweep the same folder at the same time.
void sweep(const std::string& folder, std::uint64_t limit);

/// Whether storing `bytes` more is an occasion to sweep: by chance, so that it happens about sixteen times while the
/// limit is stored once, however many processes do that.
bool time_to_sweep(std::uint64_t bytes, std::uint64_t limit);

/// Nobody else's guess: applications in different containers may have the same process id.
std::string unique_name();

}  // namespace skmd::compiler
