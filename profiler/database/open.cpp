// SPDX-License-Identifier: Apache-2.0
// Opening a profile database: what may be wrong with a file, and what becomes of it.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "profiler/database/database.h"
#include "profiler/database/database_constants.h"
#include "profiler/database/folder_lock.h"
#include "profiler/database/rename_devices.h"
#include "profiler/database/schema.h"
#include "profiler/database/set_aside.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::Error;
using domain::Result;
using domain::Status;
using Mode = ProfileDatabase::Mode;

Error system_error(const fs::path& file, int code) { return {-1, file.string() + ": " + std::strerror(code)}; }

/// Without content where it is not there yet.
Status provide_file(const fs::path& file, Mode mode) {
  struct stat state {};
  if (::stat(file.c_str(), &state) == 0) {
    if (S_ISREG(state.st_mode)) return {};
    return Error{-1, file.string() + " is no file: name another one with --db or SKMD_PROFILE_DB"};
  }
  if (errno != ENOENT || mode != Mode::create) return system_error(file, errno);
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  // Without a descriptor, whose closing would drop the locks of another thread that has opened the file by then.
  if (::mknod(file.c_str(), S_IFREG | 0600, 0) == 0 || errno == EEXIST) return {};
  return system_error(file, errno);
}

/// In its mode of writing, but for the tables.
Result<Connection> connect(const fs::path& file, Mode mode, int patience) {
  sqlite3* handle = nullptr;
  const int flags = mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  Connection connection(handle);
  if (code != SQLITE_OK) {
    Error error = sqlite_error(handle, file.string());
    if (const int why = handle == nullptr ? 0 : sqlite3_system_errno(handle); why != 0)
      error.reason += std::string(" (") + std::strerror(why) + ")";
    return error;
  }
  sqlite3_busy_timeout(handle, patience);
  return connection;
}

/// What quick_check has found. A page that the system did not give it is a finding, too, and no damage.
Error finding(const std::string& text) {
  constexpr std::string_view kCode = "error code=";
  const std::size_t at = text.find(kCode);
  const int code = at == std::string::npos ? SQLITE_CORRUPT : std::atoi(text.c_str() + at + kCode.size()) & 0xFF;
  return {-code, text};
}

Status check_pages(sqlite3* connection) {
  Statement statement(connection, "PRAGMA quick_check(1)");
  const auto row = statement.step();
  if (!row) return row.error();
  if (*row && statement.text(0) != "ok") return finding(statement.text(0));
  return {};
}

/// Never on a thread of an application. `writes`: the file was opened to be written, and may be. `pages`: looks at
/// every page.
Result<Owner> inspect(sqlite3* connection, bool writes, bool pages) {
  auto owner = owner_of(connection);
  if (!owner || *owner != Owner::ours) return owner;
  // The file can say that only later versions of SQLite may write it; there are none such.
  if (writes && sqlite3_db_readonly(connection, "main") == 1)
    return Error{-SQLITE_CORRUPT, "the version of its format is wrong"};
  if (pages)
    if (Status done = check_pages(connection); !done) return done.error();
  const auto version = number_of(connection, "PRAGMA user_version");
  if (!version) return version.error();
  if (Status declared = check_declarations(connection, *version); !declared) return declared.error();
  return owner;
}

/// `error` as a reader of the database should see it, who cannot or will not write.
Error reading_error(const fs::path& file, const Error& error) {
  const bool journal = file_at(file.string() + "-journal") != 0;
  if (!journal || (error.code != -SQLITE_READONLY && error.code != -SQLITE_CANTOPEN)) return error;
  return {-1, file.string() + ": a process was killed while it wrote to it: \"skmd-profile --db " + file.string() +
                  " check --repair\" takes back what that began"};
}

Status bring_up_to_date(sqlite3* connection) {
  if (Status done = migrate(connection); !done) return done;
  return rename_devices(connection);
}

struct Opened {
  Connection connection;
  ino_t inspected = 0;
  std::string damage;  // "": it can be used
};

/// One look at what is there; nothing: another process has just set it aside, and its successor is not there yet.
Result<std::optional<Opened>> look(const fs::path& file, Mode mode, const DatabaseLimits& limits) {
  const int patience = limits.patience;
  // Without it, which foreign programs can prevent, there is only a moment's risk (set_aside.h).
  std::optional<FolderLock> lock;
  if (mode != Mode::read_only) lock.emplace(file, FolderLock::Kind::shared, patience);
  Opened opened;
  opened.inspected = file_at(file);
  if (opened.inspected == 0) return std::optional<Opened>();
  auto connection = connect(file, mode, patience);
  if (!connection && file_at(file) != opened.inspected) return std::optional<Opened>();
  if (!connection) return connection.error();
  opened.connection = std::move(*connection);
  // SQLite itself would fall back to reading.
  if (mode != Mode::read_only && ::access(file.c_str(), W_OK) != 0)
    return Error{-1, file.string() + " cannot be written: " + std::strerror(errno)};
  std::error_code unknown_size;  // then it is -1
  const bool pages = fs::file_size(file, unknown_size) <= limits.inspected_bytes;
  auto owner = inspect(opened.connection.get(), mode != Mode::read_only, pages);
  if (owner && mode != Mode::read_only && (*owner == Owner::empty || *owner == Owner::ours))
    if (Status done = bring_up_to_date(opened.connection.get()); !done) owner = done.error();
  if (!owner && !is_damage(owner.error())) return reading_error(file, owner.error());
  if (!owner)
    opened.damage = " is damaged (" + owner.error().reason + ")";
  else if (*owner == Owner::foreign)
    opened.damage = " is another program's database";
  else if (*owner == Owner::newer)
    return Error{-1, file.string() +
                         " was made by a newer SKMD, and is left as it is: name another one with --db or "
                         "SKMD_PROFILE_DB"};
  else if (*owner == Owner::empty && mode == Mode::read_only)
    return Error{-1, file.string() + " is empty"};
  return std::optional<Opened>(std::move(opened));
}

}  // namespace

Result<ProfileDatabase> ProfileDatabase::open(const fs::path& file, Mode mode, const DatabaseLimits& limits) {
  std::string notice;
  for (int attempt = 0; attempt < tuning::kOpenings; ++attempt) {
    const bool again = attempt > 0 && mode != Mode::read_only;
    if (Status there = provide_file(file, again ? Mode::create : mode); !there) return there.error();
    auto looked = look(file, mode, limits);
    if (!looked) return looked.error();
    if (!*looked) continue;
    Opened& opened = **looked;
    if (opened.damage.empty()) {
      // The file itself says whether there is a write-ahead log, and other programs can switch it on.
      if (mode != Mode::read_only)
        if (Status done = execute(opened.connection.get(), "PRAGMA journal_mode=DELETE"); !done) return done.error();
      ProfileDatabase database(std::move(opened.connection), limits);
      database.notice_ = std::move(notice);
      return database;
    }
    if (mode == Mode::read_only || !notice.empty()) return Error{-1, file.string() + opened.damage};
    opened.connection.reset();
    const auto moved = set_aside(file, opened.inspected, limits.patience);
    if (!moved) return moved.error();
    if (moved->empty()) continue;
    notice = file.string() + opened.damage + ": it is kept as " + moved->string() + ", and a new one was begun";
  }
  return Error{-1, file.string() + " cannot be opened"};
}

}  // namespace skmd::profiler
