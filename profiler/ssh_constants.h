// SPDX-License-Identifier: Apache-2.0
// Numbers and names of hosts that are reached through ssh.
#pragma once

#include <chrono>

#include "profiler/socket_constants.h"

namespace skmd::profiler {

/// Of connecting and exchanging keys with a host. Source: three lost packets at a connection's start take 7 s (RFC
/// 6298: 1 s, then twice as long each time).
inline constexpr std::chrono::seconds kSshConnection{10};
/// From the start to the line that tells of devices: connecting, and loading drivers twice, since skmd-serve tries them
/// before its daemon. Source: chosen: on two H200s skmd-serve itself took less than 8 s.
inline constexpr std::chrono::seconds kSshServing{30};
/// Source: skmd-serve gives its daemon kTermination, 2 s; the rest is chosen.
inline constexpr std::chrono::seconds kSshEnding{4};

/// Folders at both ends are in /tmp, not in TMPDIR: the path of a socket has 107 characters at most. Source: unix(7).
inline constexpr const char* kFolderHere = "/tmp/skmd-ssh-XXXXXX";
inline constexpr const char* kFolderThere = "/tmp/skmd-serve-";
/// The sockets in such a folder. Source: profiler/socket_constants.h.
inline constexpr const char* kSshSockets[] = {kCommandSocket, kStreamSocket};
/// The status of an ssh that could not connect or run the command. Source: ssh(1).
inline constexpr int kSshFailed = 255;

}  // namespace skmd::profiler
