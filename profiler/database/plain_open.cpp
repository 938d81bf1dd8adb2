// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/plain_open.h"

#include "profiler/database/sqlite.h"

namespace skmd::profiler {

domain::Result<Connection> open_plain(const std::filesystem::path& file, Access access, int patience) {
  sqlite3* handle = nullptr;
  const int flags = access == Access::reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  Connection connection(handle);
  if (code != SQLITE_OK) return sqlite_error(handle, file.string());
  sqlite3_busy_timeout(handle, patience);
  return connection;
}

}  // namespace skmd::profiler
