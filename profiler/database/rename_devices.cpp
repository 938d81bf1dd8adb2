// SPDX-License-Identifier: Apache-2.0
// No migration step of schema.h: the tables stay as they are, and an older SKMD may write a former name again.
#include "profiler/database/rename_devices.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "profiler/database/calibration_text.h"
#include "profiler/database/former_names.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/writer.h"

namespace skmd::profiler {
namespace {

using domain::DeviceKey;
using domain::Result;
using domain::Status;

using Row = std::pair<std::int64_t, DeviceKey>;  // of devices

Result<std::vector<Row>> with_former_names(sqlite3* connection) {
  Statement statement(connection, "SELECT id, platform, name, driver, units FROM devices");
  std::vector<Row> found;
  for (auto row = statement.step();; row = statement.step()) {
    if (!row) return row.error();
    if (!*row) return found;
    DeviceKey key{statement.text(1), statement.text(2), statement.text(3),
                  static_cast<std::uint32_t>(statement.integer(4))};
    if (todays(key) != key) found.emplace_back(statement.integer(0), std::move(key));
  }
}

/// A line that cannot be read stays as it is: check() names it.
Status move_samples(sqlite3* connection, std::int64_t from, std::int64_t to) {
  std::vector<std::pair<std::int64_t, std::string>> lines;
  {
    Statement statement(connection, "SELECT id, line FROM samples WHERE device=?");
    statement.bind(1, from);
    auto row = statement.step();
    for (; row && *row; row = statement.step()) lines.emplace_back(statement.integer(0), statement.text(1));
    if (!row) return row.error();
  }
  Statement move(connection, "UPDATE OR IGNORE samples SET device=?, line=?, digest=? WHERE id=?");
  for (const auto& [id, line] : lines) {
    const auto sample = sample_of(line);
    const std::string text = sample ? line_of(*sample) : line;
    if (Status done = move.bind(1, to).bind(2, text).bind(3, digest_of(text)).bind(4, id).run(); !done) return done;
  }
  return {};
}

Status move_calibrations(sqlite3* connection, const char* table, std::int64_t from) {
  std::vector<std::pair<std::string, Calibrations>> found;
  {
    Statement statement(connection, std::string("SELECT origin, line FROM ") + table + " WHERE device=?");
    statement.bind(1, from);
    auto row = statement.step();
    for (; row && *row; row = statement.step()) {
      auto one = calibration_of(statement.text(1));
      if (!one) continue;
      found.emplace_back(statement.text(0), Calibrations{});
      if (auto* const device = std::get_if<domain::DeviceCalibration>(&*one))
        found.back().second.devices.push_back(std::move(*device));
      else
        found.back().second.links.push_back(std::move(std::get<domain::LinkCalibration>(*one)));
    }
    if (!row) return row.error();
  }
  Statement remove(connection, std::string("DELETE FROM ") + table + " WHERE device=?");
  if (Status done = remove.bind(1, from).run(); !done) return done;
  for (const auto& [origin, calibrations] : found)
    if (const auto put = put_calibrations(connection, calibrations, origin); !put) return put.error();
  return {};
}

Status rename(sqlite3* connection, std::int64_t from, const DeviceKey& former) {
  const auto to = device_id(connection, todays(former));
  if (!to) return to.error();
  if (Status done = move_samples(connection, from, *to); !done) return done;
  for (const char* table : {"device_calibrations", "link_calibrations"})
    if (Status done = move_calibrations(connection, table, from); !done) return done;
  constexpr std::array kCounts{
      "INSERT INTO seen SELECT kernel, ?2, source, count FROM seen WHERE device=?1 ON CONFLICT(kernel, device, source) "
      "DO UPDATE SET count=count+excluded.count",
      "INSERT INTO uses SELECT kernel, ?2, number FROM uses WHERE device=?1 ON CONFLICT(kernel, device) DO UPDATE SET "
      "number=max(number, excluded.number)"};
  for (const char* sql : kCounts)
    if (Status done = Statement(connection, sql).bind(1, from).bind(2, *to).run(); !done) return done;
  // Of samples, what is there under today's name already.
  constexpr std::array kRemove{"DELETE FROM samples WHERE device=?", "DELETE FROM seen WHERE device=?",
                               "DELETE FROM uses WHERE device=?", "DELETE FROM devices WHERE id=?"};
  for (const char* sql : kRemove)
    if (Status done = Statement(connection, sql).bind(1, from).run(); !done) return done;
  return Statement(connection, "DELETE FROM shipped WHERE platform=? AND device=?")
      .bind(1, former.platform)
      .bind(2, former.name)
      .run();
}

}  // namespace

Status rename_devices(sqlite3* connection) {
  const auto found = with_former_names(connection);
  if (!found) return found.error();
  if (found->empty()) return {};
  Transaction transaction(connection);
  if (Status begun = transaction.begin(); !begun) return begun;
  // Another process may have done it while this one waited for the lock.
  const auto still = with_former_names(connection);
  if (!still) return still.error();
  for (const auto& [id, former] : *still)
    if (Status done = rename(connection, id, former); !done) return done;
  return transaction.commit();
}

}  // namespace skmd::profiler
