// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/schema.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace skmd::profiler {
namespace {

using domain::Result;
using domain::Status;

// Step i makes version i + 1 of version i. Steps that were ever released are not changed.
constexpr std::array<const char*, kSchemaVersion> kSteps{
    // `digest` is that of the sample's line, by which a sample is taken in once.
    R"(CREATE TABLE kernels(id INTEGER PRIMARY KEY, program TEXT NOT NULL, name TEXT NOT NULL, form TEXT NOT NULL,
                            UNIQUE(program, name, form));
       CREATE TABLE devices(id INTEGER PRIMARY KEY, platform TEXT NOT NULL, name TEXT NOT NULL, driver TEXT NOT NULL,
                            units INTEGER NOT NULL, UNIQUE(platform, name, driver, units));
       CREATE TABLE samples(id INTEGER PRIMARY KEY, kernel INTEGER NOT NULL REFERENCES kernels(id),
                            device INTEGER NOT NULL REFERENCES devices(id), tag TEXT NOT NULL, groups INTEGER NOT NULL,
                            date INTEGER NOT NULL, origin TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, line TEXT NOT NULL);
       CREATE INDEX samples_by_size ON samples(kernel, device, tag, groups, date);
       CREATE TABLE seen(kernel INTEGER NOT NULL REFERENCES kernels(id), device INTEGER NOT NULL REFERENCES devices(id),
                         count INTEGER NOT NULL, PRIMARY KEY(kernel, device)) WITHOUT ROWID;)",
    // What calibration measured: the newest of each.
    R"(CREATE TABLE device_calibrations(device INTEGER PRIMARY KEY REFERENCES devices(id), date INTEGER NOT NULL,
                                        origin TEXT NOT NULL, digest TEXT NOT NULL, line TEXT NOT NULL);
       CREATE TABLE link_calibrations(host TEXT NOT NULL, device INTEGER NOT NULL REFERENCES devices(id),
                                      direction TEXT NOT NULL, date INTEGER NOT NULL, origin TEXT NOT NULL,
                                      digest TEXT NOT NULL, line TEXT NOT NULL,
                                      PRIMARY KEY(host, device, direction)) WITHOUT ROWID;)",
    // Counts by the database where samples came first (source 1: this one), so that merging twice counts once; and the
    // number of each kernel's last use on a device, counted from the first one of the database. And in which state the
    // files that came with SKMD were taken in, for each make of device.
    R"(CREATE TABLE sources(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
       INSERT INTO sources VALUES(1, lower(hex(randomblob(16))));
       ALTER TABLE seen RENAME TO seen_of_all;
       CREATE TABLE seen(kernel INTEGER NOT NULL REFERENCES kernels(id), device INTEGER NOT NULL REFERENCES devices(id),
                         source INTEGER NOT NULL REFERENCES sources(id), count INTEGER NOT NULL,
                         PRIMARY KEY(kernel, device, source)) WITHOUT ROWID;
       INSERT INTO seen SELECT kernel, device, 1, count FROM seen_of_all;
       DROP TABLE seen_of_all;
       CREATE TABLE uses(kernel INTEGER NOT NULL REFERENCES kernels(id), device INTEGER NOT NULL REFERENCES devices(id),
                         number INTEGER NOT NULL, PRIMARY KEY(kernel, device)) WITHOUT ROWID;
       CREATE TABLE shipped(platform TEXT NOT NULL, device TEXT NOT NULL, state TEXT NOT NULL,
                            PRIMARY KEY(platform, device)) WITHOUT ROWID;)",
};

Result<std::vector<std::string>> declarations(sqlite3* connection) {
  Statement statement(connection, "SELECT name||': '||sql FROM sqlite_master WHERE type='table' ORDER BY 1");
  std::vector<std::string> all;
  for (;;) {
    const auto row = statement.step();
    if (!row) return row.error();
    if (!*row) return all;
    all.push_back(statement.text(0));
  }
}

/// What `version` declares: by making it, in memory.
Result<std::vector<std::string>> declarations_of(std::int64_t version) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  const Connection connection(handle);
  if (code != SQLITE_OK) return sqlite_error(handle, "tables in memory");
  for (std::size_t step = 0; step < static_cast<std::size_t>(version); ++step)
    if (Status done = execute(handle, kSteps[step]); !done) return done.error();
  return declarations(handle);
}

}  // namespace

Status check_declarations(sqlite3* connection, std::int64_t version) {
  const auto expected = declarations_of(version);
  if (!expected) return expected.error();
  const auto there = declarations(connection);
  if (!there) return there.error();
  for (const std::string& one : *expected)
    if (!std::binary_search(there->begin(), there->end(), one))
      return domain::Error{-SQLITE_CORRUPT, "it has no table " + one.substr(0, one.find(':')) + " as SKMD declares it"};
  return {};
}

Result<Owner> owner_of(sqlite3* connection) {
  const auto tables = number_of(connection, "SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  const auto application = number_of(connection, "PRAGMA application_id");
  if (!application) return application.error();
  const auto version = number_of(connection, "PRAGMA user_version");
  if (!version) return version.error();
  if (*application == kApplicationId) {
    // Both marks are set in the transaction that makes the tables.
    if (*version < 1) return domain::Error{-SQLITE_CORRUPT, "its version is " + std::to_string(*version)};
    return *version > kSchemaVersion ? Owner::newer : Owner::ours;
  }
  return *tables == 0 && *application == 0 ? Owner::empty : Owner::foreign;
}

Status migrate(sqlite3* connection) {
  const auto before = number_of(connection, "PRAGMA user_version");
  if (!before) return before.error();
  if (*before == kSchemaVersion) return {};
  Transaction transaction(connection);
  if (Status begun = transaction.begin(); !begun) return begun;
  // Another process may have done it while this one waited for the lock.
  const auto version = number_of(connection, "PRAGMA user_version");
  if (!version) return version.error();
  if (*version > kSchemaVersion)
    return domain::Error{-SQLITE_BUSY, "a newer SKMD has just changed the profile database"};
  if (*version == kSchemaVersion) return {};
  for (auto step = static_cast<std::size_t>(std::max<std::int64_t>(0, *version)); step < kSteps.size(); ++step)
    if (Status done = execute(connection, kSteps[step]); !done) return done;
  const std::string marks = "PRAGMA application_id=" + std::to_string(kApplicationId) +
                            ";PRAGMA user_version=" + std::to_string(kSchemaVersion);
  if (Status done = execute(connection, marks.c_str()); !done) return done;
  return transaction.commit();
}

}  // namespace skmd::profiler
