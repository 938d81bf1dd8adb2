// SPDX-License-Identifier: Apache-2.0
// Opening a profile database: what may be wrong with a file, and what becomes of it.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "profiler/database/database.h"
#include "profiler/database/date.h"
#include "profiler/database/schema.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::Error;
using domain::Result;
using domain::Status;
using Mode = ProfileDatabase::Mode;

constexpr int kOpenings = 5;     // tries while other processes put files in the place
constexpr int kPatience = 5000;  // milliseconds that another process's transaction may take

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
  const int fd = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return errno == EEXIST ? Status{} : system_error(file, errno);
  ::close(fd);
  return {};
}

/// In its mode of writing, but for the tables.
Result<Connection> connect(const fs::path& file, Mode mode) {
  sqlite3* handle = nullptr;
  const int flags = mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  Connection connection(handle);
  if (code != SQLITE_OK) return sqlite_error(handle, file.string());
  sqlite3_busy_timeout(handle, kPatience);
  return connection;
}

bool is_damage(const Error& error) { return error.code == -SQLITE_CORRUPT || error.code == -SQLITE_NOTADB; }

/// Looks at every page: a few milliseconds for each MiB, and never on a thread of an application.
Result<Owner> inspect(sqlite3* connection) {
  auto owner = owner_of(connection);
  if (!owner || *owner != Owner::ours) return owner;
  Statement statement(connection, "PRAGMA quick_check(1)");
  const auto row = statement.step();
  if (!row) return row.error();
  if (*row && statement.text(0) != "ok") return Error{-SQLITE_CORRUPT, statement.text(0)};
  return owner;
}

/// The file that `file` names now; 0 without any.
ino_t file_at(const fs::path& file) {
  struct stat state {};
  return ::stat(file.c_str(), &state) == 0 ? state.st_ino : 0;
}

/// Gives `file` a new name, which is returned; never that of another file. A journal goes with its database, or it
/// would be played into the next one.
Result<fs::path> rename_damaged(const fs::path& file) {
  const std::string name = file.string() + ".damaged-" + today();
  for (int i = 0; i < 1000; ++i) {
    const fs::path to = i == 0 ? name : name + "-" + std::to_string(i + 1);
    if (::link(file.c_str(), to.c_str()) != 0) {
      if (errno == EEXIST) continue;
      return system_error(to, errno);
    }
    ::rename((file.string() + "-journal").c_str(), (to.string() + "-journal").c_str());
    if (::unlink(file.c_str()) != 0) return system_error(file, errno);
    return to;
  }
  return Error{-1, file.string() + ": there are a thousand damaged ones of today beside it"};
}

/// Of the processes that find `damaged` damaged, the first renames it; the others get "", and find the new one in its
/// place.
Result<fs::path> set_aside(const fs::path& file, ino_t damaged) {
  const int lock = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return errno == ENOENT ? Result<fs::path>(fs::path()) : system_error(file, errno);
  struct stat state {};
  const bool is_it =
      ::flock(lock, LOCK_EX) == 0 && ::fstat(lock, &state) == 0 && state.st_ino == damaged && file_at(file) == damaged;
  auto renamed = is_it ? rename_damaged(file) : Result<fs::path>(fs::path());
  ::close(lock);
  return renamed;
}

}  // namespace

Result<ProfileDatabase> ProfileDatabase::open(const fs::path& file, Mode mode) {
  std::string notice;
  for (int attempt = 0; attempt < kOpenings; ++attempt) {
    if (Status there = provide_file(file, attempt == 0 ? mode : Mode::create); !there) return there.error();
    const ino_t inspected = file_at(file);
    auto connection = connect(file, mode);
    // Another process has just set it aside, and its successor is not there yet.
    if (!connection && mode != Mode::read_only && attempt + 1 < kOpenings && file_at(file) != inspected) continue;
    if (!connection) return connection.error();
    const auto owner = inspect(connection->get());
    if (owner && *owner == Owner::newer)
      return Error{
          -1, file.string() +
                  " was made by a newer SKMD, and is left as it is: name another one with --db or SKMD_PROFILE_DB"};
    const bool damaged = !owner && is_damage(owner.error());
    if (!owner && !damaged) return owner.error();
    if (!damaged && *owner != Owner::foreign) {
      if (mode != Mode::read_only) {
        if (Status done = migrate(connection->get()); !done) return done.error();
        // The file itself says whether there is a write-ahead log, and other programs can switch it on.
        if (Status done = execute(connection->get(), "PRAGMA journal_mode=DELETE"); !done) return done.error();
      }
      if (mode == Mode::read_only && *owner == Owner::empty) return Error{-1, file.string() + " is empty"};
      ProfileDatabase database(std::move(*connection));
      database.notice_ = std::move(notice);
      return database;
    }
    const std::string what = damaged ? " is damaged (" + owner.error().reason + ")" : " is another program's database";
    if (mode == Mode::read_only || !notice.empty()) return Error{-1, file.string() + what};
    connection->reset();
    const auto moved = set_aside(file, inspected);
    if (!moved) return moved.error();
    if (moved->empty()) continue;
    notice = file.string() + what + ": it is kept as " + moved->string() + ", and a new one was begun";
  }
  return Error{-1, file.string() + " cannot be opened"};
}

}  // namespace skmd::profiler
