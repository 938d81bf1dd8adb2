// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/sqlite.h"

namespace skmd::profiler {

using domain::Error;
using domain::Result;
using domain::Status;

void CloseDatabase::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Error sqlite_error(sqlite3* connection, std::string_view doing) {
  const int code = connection != nullptr ? sqlite3_extended_errcode(connection) : SQLITE_NOMEM;
  const char* text = connection != nullptr ? sqlite3_errmsg(connection) : "out of memory";
  return {-(code & 0xFF), std::string(doing) + ": " + text};
}

bool is_damage(const domain::Error& error) {
  return error.code == -SQLITE_CORRUPT || error.code == -SQLITE_NOTADB || error.code == -SQLITE_ERROR;
}

Statement::Statement(sqlite3* connection, std::string_view sql) : connection_(connection) {
  note(sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &handle_, nullptr));
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  note(sqlite3_bind_int64(handle_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  note(sqlite3_bind_text(handle_, parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  return *this;
}

void Statement::note(int code) {
  if (code != SQLITE_OK && !problem_) problem_ = sqlite_error(connection_, "the profile database");
}

Result<bool> Statement::step() {
  // A parameter without its value would be a row without it, or, with OR IGNORE, no row and no error.
  if (problem_) return *problem_;
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return sqlite_error(connection_, "the profile database");
}

Status Statement::run() {
  auto more = step();
  while (more && *more) more = step();
  reset();
  if (!more) return more.error();
  return {};
}

void Statement::reset() {
  if (handle_ != nullptr) sqlite3_reset(handle_);
}

std::string Statement::text(int column) const {
  // As a blob: the bytes of a text as they are stored, without a conversion that may find no memory.
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

Status execute(sqlite3* connection, const char* sql) {
  if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return sqlite_error(connection, "the profile database");
}

Result<std::int64_t> number_of(sqlite3* connection, const char* sql) {
  Statement statement(connection, sql);
  const auto row = statement.step();
  if (!row) return row.error();
  return *row ? statement.integer(0) : 0;
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Status Transaction::begin() {
  Status begun = execute(connection_, "BEGIN IMMEDIATE");
  open_ = begun.ok();
  return begun;
}

Status Transaction::commit() {
  Status done = execute(connection_, "COMMIT");
  if (done) open_ = false;
  return done;
}

}  // namespace skmd::profiler
