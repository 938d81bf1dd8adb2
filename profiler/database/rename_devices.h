// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partitioner/base/result.h"
#include "profiler/database/sqlite.h"

namespace skmd::profiler {

/// Gives devices that have names of before (former_names.h) today's, in all tables, in one transaction; what was known
/// under both names becomes one. Nothing is written where there are none. Precondition: the tables are those of
/// kSchemaVersion.
domain::Status rename_devices(sqlite3* connection);

}  // namespace skmd::profiler
