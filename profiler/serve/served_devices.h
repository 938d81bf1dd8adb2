// SPDX-License-Identifier: Apache-2.0
// What a client gets from a daemon, asked as a client asks it.
#pragma once

#include <string>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// Connects to `address` (HOST:PORT or unix:FOLDER) through the engine's client `library` and returns how many devices
/// are served there. In a child, which holds no session afterwards. Blocks for some seconds at most. One thread: it
/// forks.
domain::Result<int> served_devices(const std::string& library, const std::string& address);

}  // namespace skmd::profiler
