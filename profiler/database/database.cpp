// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/database.h"

#include <algorithm>
#include <utility>

#include "profiler/database/former_names.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/schema.h"
#include "profiler/database/sqlite.h"
#include "profiler/database/writer.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::ProfileSample;
using domain::Result;
using domain::Status;

std::string conditions_of(const SampleFilter& filter) {
  std::string sql =
      " FROM samples JOIN kernels ON kernels.id=samples.kernel JOIN devices ON devices.id=samples.device WHERE 1";
  if (!filter.kernel.empty()) sql += " AND kernels.name=?1";
  if (!filter.device.empty()) sql += " AND devices.name=?2";
  if (filter.before != 0) sql += " AND samples.date<?3";
  if (!filter.origin.empty()) sql += " AND samples.origin=?4";
  if (filter.tags.empty()) return sql;
  sql += " AND samples.tag IN (";
  for (std::size_t i = 0; i < filter.tags.size(); ++i) sql += (i == 0 ? "?" : ",?") + std::to_string(5 + i);
  return sql + ")";
}

void bind(Statement& statement, const SampleFilter& filter) {
  if (!filter.kernel.empty()) statement.bind(1, filter.kernel);
  if (!filter.device.empty()) statement.bind(2, filter.device);
  if (filter.before != 0) statement.bind(3, filter.before);
  if (!filter.origin.empty()) statement.bind(4, filter.origin);
  for (std::size_t i = 0; i < filter.tags.size(); ++i) statement.bind(static_cast<int>(5 + i), filter.tags[i]);
}

Result<std::size_t> prune_calibrations(sqlite3* connection, const std::string& table, const SampleFilter& filter) {
  std::string sql = "DELETE FROM " + table + " WHERE 1";
  if (!filter.device.empty()) sql += " AND device IN (SELECT id FROM devices WHERE name=?1)";
  if (filter.before != 0) sql += " AND date<?2";
  if (!filter.origin.empty()) sql += " AND origin=?3";
  Statement statement(connection, sql);
  if (!filter.device.empty()) statement.bind(1, filter.device);
  if (filter.before != 0) statement.bind(2, filter.before);
  if (!filter.origin.empty()) statement.bind(3, filter.origin);
  if (Status done = statement.run(); !done) return done.error();
  return static_cast<std::size_t>(sqlite3_changes(connection));
}

}  // namespace

std::uint64_t ProfileDatabase::bytes() const {
  const auto bytes =
      number_of(connection_.get(), "SELECT page_count*page_size FROM pragma_page_count, pragma_page_size");
  return bytes ? static_cast<std::uint64_t>(*bytes) : 0;
}

Result<std::size_t> ProfileDatabase::add(std::span<const ProfileSample> samples, const std::string& origin) {
  const Counted counted = origin == "measured" ? Counted::all : Counted::kept;
  Transaction transaction(connection_.get());
  if (Status begun = transaction.begin(); !begun) return begun.error();
  std::size_t added = 0;
  {
    Writer writer(connection_.get(), limits_);
    for (const ProfileSample& sample : samples) {
      const auto is_new = writer.add(sample, origin, counted);
      if (!is_new && is_new.error().code != 0) return is_new.error();
      if (!is_new)  // of its line
        return Error{-1, "sample " + std::to_string(&sample - samples.data()) + ": " + is_new.error().reason};
      added += *is_new ? 1 : 0;
    }
    if (Status done = writer.finish(); !done) return done.error();
  }
  if (Status done = transaction.commit(); !done) return done.error();
  return added;
}

Result<std::vector<ProfileSample>> ProfileDatabase::samples(const SampleFilter& filter) const {
  Statement statement(connection_.get(), "SELECT line" + conditions_of(filter) + " AND form<>'" +
                                             std::string(domain::kRoundsForm) + "' ORDER BY line");
  bind(statement, filter);
  std::vector<ProfileSample> found;
  for (auto row = statement.step();; row = statement.step()) {
    if (!row) return row.error();
    if (!*row) return found;
    if (auto sample = sample_of(statement.text(0))) found.push_back(std::move(*sample));
  }
}

Result<std::vector<KernelOnDevice>> ProfileDatabase::contents() const {
  Statement statement(
      connection_.get(),
      "SELECT kernels.program, kernels.name, form, platform, devices.name, driver, units, total, count(samples.id), "
      "count(DISTINCT groups), CASE WHEN max(origin='measured') THEN 'measured' WHEN max(origin='imported') THEN "
      "'imported' ELSE coalesce(max(origin), '') END FROM (SELECT kernel, device, sum(count) AS total FROM seen "
      "GROUP BY kernel, device) AS counted JOIN kernels ON kernels.id=counted.kernel JOIN devices ON "
      "devices.id=counted.device LEFT JOIN samples ON samples.kernel=counted.kernel AND "
      "samples.device=counted.device GROUP BY counted.kernel, counted.device ORDER BY 2, 1, 3, 4, 5, 6, 7");
  std::vector<KernelOnDevice> found;
  for (auto row = statement.step();; row = statement.step()) {
    if (!row) return row.error();
    if (!*row) return found;
    KernelOnDevice entry;
    entry.kernel = {statement.text(0), statement.text(1), statement.text(2)};
    entry.device = todays(
        {statement.text(3), statement.text(4), statement.text(5), static_cast<std::uint32_t>(statement.integer(6))});
    entry.seen = static_cast<std::uint64_t>(statement.integer(7));
    entry.samples = static_cast<std::uint64_t>(statement.integer(8));
    entry.sizes = static_cast<std::uint64_t>(statement.integer(9));
    entry.origin = statement.text(10);
    found.push_back(std::move(entry));
  }
}

Result<std::vector<std::string>> ProfileDatabase::tags() const {
  Statement statement(connection_.get(), "SELECT DISTINCT tag FROM samples ORDER BY tag");
  std::vector<std::string> found;
  for (auto row = statement.step();; row = statement.step()) {
    if (!row) return row.error();
    if (!*row) return found;
    found.push_back(statement.text(0));
  }
}

Result<std::size_t> ProfileDatabase::prune(const SampleFilter& filter) {
  Transaction transaction(connection_.get());
  if (Status begun = transaction.begin(); !begun) return begun.error();
  std::size_t gone = 0;
  {
    Statement statement(connection_.get(),
                        "DELETE FROM samples WHERE id IN (SELECT samples.id" + conditions_of(filter) + ")");
    bind(statement, filter);
    if (Status done = statement.run(); !done) return done.error();
    gone = static_cast<std::size_t>(sqlite3_changes(connection_.get()));
  }
  if (filter.kernel.empty() && filter.tags.empty())
    for (const char* table : {"device_calibrations", "link_calibrations"}) {
      const auto more = prune_calibrations(connection_.get(), table, filter);
      if (!more) return more.error();
      gone += *more;
    }
  if (Status done = transaction.commit(); !done) return done.error();
  return gone;
}

}  // namespace skmd::profiler
