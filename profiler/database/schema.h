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

/// Fails with SQLITE_CORRUPT where a table of `version`, 1 to kSchemaVersion, is missing or not declared as migrate()
/// declares it. Further ones are allowed, and wrong indexes: repair() builds them anew.
domain::Status check_declarations(sqlite3* connection, std::int64_t version);

/// Brings an empty or older database to kSchemaVersion, one step per version, all in one transaction.
domain::Status migrate(sqlite3* connection);

}  // namespace skmd::profiler
