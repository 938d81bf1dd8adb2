// SPDX-License-Identifier: Apache-2.0
// Numbers of skmd-serve, each with where it comes from.
#pragma once

#include <chrono>
#include <cstddef>

namespace skmd::profiler {

/// The daemon takes a port for commands, one for bulk data and one for peers, in a row (pocld/pocld.cc).
inline constexpr unsigned kPorts = 3;
inline constexpr unsigned kLastPort = 65535 - (kPorts - 1);

/// Of sockaddr_un's 108 bytes, unix(7), what "/command" and the NUL leave.
inline constexpr std::size_t kLongestFolder = 99;

/// How often it is tried whether the daemon accepts. Its drivers take from 0.1 s to several seconds to load.
inline constexpr std::chrono::milliseconds kReadyInterval{20};

/// A daemon that ended sooner than this after it had begun to serve, or never did, is started again later and later: a
/// driver that crashes while it loads would otherwise keep a processor busy. A client's first kernel comes later.
inline constexpr std::chrono::milliseconds kShortLife{500};
inline constexpr std::chrono::milliseconds kFirstDelay{100};
inline constexpr std::chrono::milliseconds kLastDelay{10000};

/// From SIGTERM to SIGKILL: the daemon has nothing to save.
inline constexpr std::chrono::seconds kTermination{2};

}  // namespace skmd::profiler
