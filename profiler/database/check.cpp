// SPDX-License-Identifier: Apache-2.0
// What may be wrong with a database whose pages can be read, and what is done about it.
#include <array>
#include <string>

#include "profiler/database/calibration_text.h"
#include "profiler/database/database.h"
#include "profiler/database/former_names.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/sqlite.h"

namespace skmd::profiler {
namespace {

using domain::Result;
using domain::Status;

struct WrongSample {
  std::int64_t id = 0;
  std::string reason;
};

Result<std::vector<WrongSample>> wrong_samples(sqlite3* connection) {
  std::vector<WrongSample> wrong;
  Statement lines(
      connection,
      "SELECT samples.id, line, digest, kernels.id IS NULL OR devices.id IS NULL, program, kernels.name, form, "
      "platform, devices.name, driver, units FROM samples LEFT JOIN kernels ON kernels.id=samples.kernel LEFT JOIN "
      "devices ON devices.id=samples.device");
  for (auto row = lines.step();; row = lines.step()) {
    if (!row) return row.error();
    if (!*row) return wrong;
    const std::string line = lines.text(1);
    const auto sample = sample_of(line);
    if (!sample)
      wrong.push_back({lines.integer(0), sample.error().reason});
    else if (digest_of(line) != lines.text(2))
      wrong.push_back({lines.integer(0), "was changed"});
    else if (lines.integer(3) != 0)
      wrong.push_back({lines.integer(0), "its kernel or device is missing"});
    else if (sample->kernel != domain::KernelKey{lines.text(4), lines.text(5), lines.text(6)} ||
             sample->device !=
                 todays({lines.text(7), lines.text(8), lines.text(9), static_cast<std::uint32_t>(lines.integer(10))}))
      wrong.push_back({lines.integer(0), "the kernel or device that it belongs to was changed"});
  }
}

/// The lines of calibrations that are wrong; what names a row in its table is its line.
Result<std::vector<std::string>> wrong_calibrations(sqlite3* connection, const std::string& table) {
  std::vector<std::string> wrong;
  Statement lines(connection, "SELECT line, digest, devices.id IS NULL FROM " + table +
                                  " LEFT JOIN devices ON devices.id=" + table + ".device");
  for (auto row = lines.step();; row = lines.step()) {
    if (!row) return row.error();
    if (!*row) return wrong;
    const std::string line = lines.text(0);
    if (!calibration_of(line) || digest_of(line) != lines.text(1) || lines.integer(2) != 0) wrong.push_back(line);
  }
}

constexpr std::array kCalibrationTables{"device_calibrations", "link_calibrations"};

Result<bool> has_calibrations(sqlite3* connection) {
  const auto version = number_of(connection, "PRAGMA user_version");
  if (!version) return version.error();
  return *version >= 2;
}

Result<std::size_t> remove_wrong_calibrations(sqlite3* connection) {
  std::size_t removed = 0;
  for (const char* table : kCalibrationTables) {
    const auto wrong = wrong_calibrations(connection, table);
    if (!wrong) return wrong.error();
    Statement remove(connection, std::string("DELETE FROM ") + table + " WHERE line=?");
    for (const std::string& line : *wrong)
      if (Status done = remove.bind(1, line).run(); !done) return done.error();
    removed += wrong->size();
  }
  return removed;
}

/// Writes all rows of `table` anew, in the order of its key and with its indexes, without trusting either: they are
/// found by looking at every page. Of rows with one key the first stays. In a transaction.
Status write_anew(sqlite3* connection, const std::string& table) {
  // A statement of DELETE alone drops the pages of a table and of its indexes, readable or not.
  const std::string sql = "CREATE TEMP TABLE kept AS SELECT * FROM main." + table + " NOT INDEXED;DELETE FROM main." +
                          table + ";INSERT OR IGNORE INTO main." + table +
                          " SELECT * FROM temp.kept;DROP TABLE temp.kept";
  return execute(connection, sql.c_str());
}

Result<std::vector<std::string>> tables_of(sqlite3* connection) {
  std::vector<std::string> tables;
  Statement names(connection, "SELECT name FROM sqlite_master WHERE type='table'");
  for (auto row = names.step();; row = names.step()) {
    if (!row) return row.error();
    if (!*row) return tables;
    tables.push_back(names.text(0));
  }
}

}  // namespace

Result<std::vector<std::string>> ProfileDatabase::check() const {
  std::vector<std::string> wrong;
  Statement integrity(connection_.get(), "PRAGMA integrity_check(20)");
  auto row = integrity.step();
  for (; row && *row; row = integrity.step())
    if (integrity.text(0) != "ok") wrong.push_back(integrity.text(0));
  if (!row) return std::vector<std::string>{row.error().reason};
  const auto samples = wrong_samples(connection_.get());
  if (!samples)
    wrong.push_back(samples.error().reason);
  else
    for (const WrongSample& sample : *samples)
      wrong.push_back("sample " + std::to_string(sample.id) + ": " + sample.reason);
  const auto calibrated = has_calibrations(connection_.get());
  for (const char* table : kCalibrationTables) {
    if (!calibrated || !*calibrated) break;
    const auto lines = wrong_calibrations(connection_.get(), table);
    if (!lines)
      wrong.push_back(lines.error().reason);
    else
      wrong.insert(wrong.end(), lines->size(), std::string(table) + ": a calibration was changed");
  }
  Statement counts(connection_.get(), "PRAGMA foreign_key_check");
  for (row = counts.step(); row && *row; row = counts.step())
    if (const std::string table = counts.text(0); table == "seen" || table == "uses")
      wrong.push_back(table + ": a kernel, device or database of a row is missing");
  if (!row) wrong.push_back(row.error().reason);
  return wrong;
}

Result<std::size_t> ProfileDatabase::repair() {
  if (Status done = execute(connection_.get(), "PRAGMA temp_store=MEMORY"); !done) return done.error();
  Transaction transaction(connection_.get());
  if (Status begun = transaction.begin(); !begun) return begun.error();
  // First: by a wrong index rows would not be found. REINDEX would fail where two rows have become one key.
  const auto tables = tables_of(connection_.get());
  if (!tables) return tables.error();
  for (const std::string& table : *tables)
    if (Status done = write_anew(connection_.get(), table); !done) return done.error();
  const auto wrong = wrong_samples(connection_.get());
  if (!wrong) return wrong.error();
  {
    Statement remove(connection_.get(), "DELETE FROM samples WHERE id=?");
    for (const WrongSample& sample : *wrong)
      if (Status done = remove.bind(1, sample.id).run(); !done) return done.error();
  }
  const auto calibrations = remove_wrong_calibrations(connection_.get());
  if (!calibrations) return calibrations.error();
  Status done = execute(
      connection_.get(),
      "DELETE FROM seen WHERE kernel NOT IN (SELECT id FROM kernels) OR device NOT IN (SELECT id FROM devices) OR "
      "source NOT IN (SELECT id FROM sources);"
      "DELETE FROM uses WHERE kernel NOT IN (SELECT id FROM kernels) OR device NOT IN (SELECT id FROM devices)");
  if (!done) return done.error();
  if (Status ended = transaction.commit(); !ended) return ended.error();
  return wrong->size() + *calibrations;
}

}  // namespace skmd::profiler
