// SPDX-License-Identifier: Apache-2.0
// The tables of calibrations: one row for a device, one for a direction of a link; what is newer takes the place.
#include "profiler/database/calibration_text.h"
#include "profiler/database/database.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/sqlite.h"
#include "profiler/database/writer.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::Result;
using domain::Status;

Status check_line(const std::string& line) {
  const auto back = calibration_of(line);
  return back ? Status() : Status(back.error());
}

// What is there gives way to what is newer, and what came with us to what was imported, and both to what was measured
// here; not the other way round.
constexpr const char* kNewer =
    " DO UPDATE SET date=excluded.date, origin=excluded.origin, digest=excluded.digest, line=excluded.line WHERE "
    "CASE excluded.origin WHEN 'measured' THEN 2 WHEN 'imported' THEN 1 ELSE 0 END>"
    "CASE origin WHEN 'measured' THEN 2 WHEN 'imported' THEN 1 ELSE 0 END OR (excluded.origin=origin AND "
    "(excluded.date>date OR "
    "excluded.date=date AND excluded.digest>digest))";

Result<bool> put_device(sqlite3* connection, const domain::DeviceCalibration& device, const std::string& origin) {
  const std::string line = line_of(device);
  if (Status fine = check_line(line); !fine) return fine.error();
  const auto id = device_id(connection, device.device);
  if (!id) return id.error();
  Statement put(connection,
                std::string("INSERT INTO device_calibrations(device, date, origin, digest, line) VALUES(?, ?, ?, ?, ?) "
                            "ON CONFLICT(device)") +
                    kNewer);
  put.bind(1, *id).bind(2, device.date).bind(3, origin).bind(4, digest_of(line)).bind(5, line);
  if (Status done = put.run(); !done) return done.error();
  return sqlite3_changes(connection) > 0;
}

Result<bool> put_link(sqlite3* connection, const domain::LinkCalibration& link, const std::string& origin) {
  const std::string line = line_of(link);
  if (Status fine = check_line(line); !fine) return fine.error();
  const auto id = device_id(connection, link.device);
  if (!id) return id.error();
  Statement put(connection, std::string("INSERT INTO link_calibrations(host, device, direction, date, origin, digest, "
                                        "line) VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(host, device, direction)") +
                                kNewer);
  put.bind(1, link.host).bind(2, *id).bind(3, name_of(link.direction)).bind(4, link.date).bind(5, origin);
  if (Status done = put.bind(6, digest_of(line)).bind(7, line).run(); !done) return done.error();
  return sqlite3_changes(connection) > 0;
}

Status read_lines(sqlite3* connection, const char* sql, const std::string& origin, Calibrations& to) {
  Statement lines(connection, std::string(sql) + (origin.empty() ? "" : " WHERE origin=?1") + " ORDER BY line");
  if (!origin.empty()) lines.bind(1, origin);
  for (auto row = lines.step();; row = lines.step()) {
    if (!row) return row.error();
    if (!*row) return {};
    auto one = calibration_of(lines.text(0));
    if (!one) continue;
    if (auto* const device = std::get_if<domain::DeviceCalibration>(&*one))
      to.devices.push_back(std::move(*device));
    else
      to.links.push_back(std::move(std::get<domain::LinkCalibration>(*one)));
  }
}

}  // namespace

Result<std::int64_t> device_id(sqlite3* connection, const domain::DeviceKey& key) {
  const std::int64_t units = key.units;
  Statement add(connection, "INSERT OR IGNORE INTO devices(platform, name, driver, units) VALUES(?, ?, ?, ?)");
  if (Status done = add.bind(1, key.platform).bind(2, key.name).bind(3, key.driver).bind(4, units).run(); !done)
    return done.error();
  Statement find(connection, "SELECT id FROM devices WHERE platform=? AND name=? AND driver=? AND units=?");
  find.bind(1, key.platform).bind(2, key.name).bind(3, key.driver).bind(4, units);
  const auto row = find.step();
  if (!row) return row.error();
  if (!*row) return Error{-SQLITE_CORRUPT, "the profile database: a row that was added is not found"};
  return find.integer(0);
}

Result<std::size_t> put_calibrations(sqlite3* connection, const Calibrations& calibrations, const std::string& origin) {
  std::size_t added = 0;
  for (const auto& device : calibrations.devices) {
    const auto is_new = put_device(connection, device, origin);
    if (!is_new)
      return Error{is_new.error().code, "calibration of " + device.device.name + ": " + is_new.error().reason};
    added += *is_new ? 1 : 0;
  }
  for (const auto& link : calibrations.links) {
    const auto is_new = put_link(connection, link, origin);
    if (!is_new) return Error{is_new.error().code, "link of " + link.device.name + ": " + is_new.error().reason};
    added += *is_new ? 1 : 0;
  }
  return added;
}

Result<std::int64_t> ProfileDatabase::schema() const { return number_of(connection_.get(), "PRAGMA user_version"); }

Result<std::size_t> ProfileDatabase::add(const Calibrations& calibrations, const std::string& origin) {
  Transaction transaction(connection_.get());
  if (Status begun = transaction.begin(); !begun) return begun.error();
  auto added = put_calibrations(connection_.get(), calibrations, origin);
  if (!added) return added;
  if (Status done = transaction.commit(); !done) return done.error();
  return added;
}

Result<Calibrations> ProfileDatabase::calibrations(const std::string& origin) const {
  Calibrations found;
  const auto version = schema();
  if (!version) return version.error();
  if (*version < 2) return found;  // opened for reading, it keeps the tables it had
  sqlite3* const connection = connection_.get();
  if (Status done = read_lines(connection, "SELECT line FROM device_calibrations", origin, found); !done)
    return done.error();
  if (Status done = read_lines(connection, "SELECT line FROM link_calibrations", origin, found); !done)
    return done.error();
  return found;
}

}  // namespace skmd::profiler
