// SPDX-License-Identifier: Apache-2.0
// A connection to a database file as it is: nothing is created, checked, repaired or brought up to date.
#pragma once

#include <filesystem>

#include "partitioner/base/result.h"
#include "profiler/database/connection.h"

namespace skmd::profiler {

enum class Access : std::uint8_t { reading, writing };

/// Waits at most `patience` milliseconds for another process's transaction, at each statement.
domain::Result<Connection> open_plain(const std::filesystem::path& file, Access access, int patience);

}  // namespace skmd::profiler
