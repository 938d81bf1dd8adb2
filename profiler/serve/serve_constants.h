// SPDX-License-Identifier: Apache-2.0
// Numbers of skmd-serve, each with where it comes from.
#pragma once

#include <chrono>
#include <cstddef>

namespace skmd::profiler {

/// The daemon takes a port for commands, one for bulk data and one for peers, in a row. Source:
/// pocld/pocld.cc of PoCL.
inline constexpr unsigned kPorts = 3;
inline constexpr unsigned kLastPort = 65535 - (kPorts - 1);

/// Of sockaddr_un's 108 bytes what "/command" and the NUL leave. Source: unix(7).
inline constexpr std::size_t kLongestFolder = 99;

/// How often it is tried whether the daemon accepts. Source: chosen: its drivers take from 0.1 s to several seconds to
/// load.
inline constexpr std::chrono::milliseconds kReadyInterval{20};

/// A daemon that ended sooner than this after it had begun to serve, or never did, is started again later and later: a
/// driver that crashes while it loads would otherwise keep a processor busy. Source: chosen, not measured: a client's
/// first kernel comes later.
inline constexpr std::chrono::milliseconds kShortLife{500};
inline constexpr std::chrono::milliseconds kFirstDelay{100};
inline constexpr std::chrono::milliseconds kLastDelay{10000};

/// From SIGTERM to SIGKILL. Source: chosen: the daemon has nothing to save.
inline constexpr std::chrono::seconds kTermination{2};

}  // namespace skmd::profiler
