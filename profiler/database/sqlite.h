// SPDX-License-Identifier: Apache-2.0
// SQLite's handles as owners, its errors as values. For profiler/database alone.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "partitioner/base/result.h"
#include "profiler/database/connection.h"

namespace skmd::profiler {

domain::Error sqlite_error(sqlite3* connection, std::string_view doing);

/// Whether the file is at fault. SQLITE_ERROR: statements of ours are right, so that it is the tables that are not, or
/// not those of their version.
bool is_damage(const domain::Error& error);

/// One prepared statement. Not thread-safe. A text that does not compile makes every step an error, and so does a
/// parameter that could not be bound.
class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql);
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Parameters from 1; text is copied.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  /// True: there is a row.
  domain::Result<bool> step();
  /// Runs it to its end, and makes it ready to be bound again.
  domain::Status run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  [[nodiscard]] std::string text(int column) const;

 private:
  /// Keeps the first failure before a step.
  void note(int code);

  sqlite3* connection_;
  sqlite3_stmt* handle_ = nullptr;
  std::optional<domain::Error> problem_;
};

domain::Status execute(sqlite3* connection, const char* sql);

/// The first column of the first row, 0 without any.
domain::Result<std::int64_t> number_of(sqlite3* connection, const char* sql);

/// Rolled back unless commit() succeeded. Takes the write lock at once, so that no lock has to be raised later.
class Transaction {
 public:
  explicit Transaction(sqlite3* connection) : connection_(connection) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  domain::Status begin();
  domain::Status commit();

 private:
  sqlite3* connection_;
  bool open_ = false;
};

}  // namespace skmd::profiler
