// SPDX-License-Identifier: Apache-2.0
// The tables of the profile database and how older ones become today's.
#pragma once

#include "profiler/database/database.h"
#include "profiler/database/sqlite.h"

namespace skmd::profiler {

inline constexpr std::int64_t kApplicationId = 0x534B4D44;  // "SKMD"

enum class Owner : std::uint8_t { empty, ours, newer, foreign };

/// Whose tables a database file holds. An error where it cannot be read, SQLITE_NOTADB and SQLITE_CORRUPT among them.
domain::Result<Owner> owner_of(sqlite3* connection);

/// Brings an empty or older database to kSchemaVersion, one step per version, all in one transaction.
domain::Status migrate(sqlite3* connection);

}  // namespace skmd::profiler
