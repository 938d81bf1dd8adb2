// SPDX-License-Identifier: Apache-2.0
// Names that skmd-serve, which makes the sockets, and skmd-run, which looks for them through ssh, share.
#pragma once

namespace skmd::profiler {

/// The daemon's sockets in a folder. Source: pocl_unix_socket_address() of the patch packaging/pocl/0010-*.
inline constexpr const char* kCommandSocket = "command";
inline constexpr const char* kStreamSocket = "stream";

}  // namespace skmd::profiler
