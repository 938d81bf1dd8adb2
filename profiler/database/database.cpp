// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/database.h"

#include <algorithm>
#include <utility>

#include "profiler/database/sample_text.h"
#include "profiler/database/schema.h"
#include "profiler/database/sqlite.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::ProfileSample;
using domain::Result;
using domain::Status;

/// The writer's statements, prepared once for all samples of a transaction.
class Writer {
 public:
  explicit Writer(sqlite3* connection)
      : connection_(connection),
        add_kernel_(connection, "INSERT OR IGNORE INTO kernels(program, name, form) VALUES(?, ?, ?)"),
        find_kernel_(connection, "SELECT id FROM kernels WHERE program=? AND name=? AND form=?"),
        add_device_(connection, "INSERT OR IGNORE INTO devices(platform, name, driver, units) VALUES(?, ?, ?, ?)"),
        find_device_(connection, "SELECT id FROM devices WHERE platform=? AND name=? AND driver=? AND units=?"),
        add_sample_(connection,
                    "INSERT OR IGNORE INTO samples(kernel, device, tag, groups, date, origin, digest, line) "
                    "VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
        count_(connection,
               "INSERT INTO seen(kernel, device, count) VALUES(?, ?, 1) ON CONFLICT(kernel, device) DO UPDATE SET "
               "count=count+1"),
        limit_(connection,
               "DELETE FROM samples WHERE id IN (SELECT id FROM samples WHERE kernel=?1 AND device=?2 AND tag=?3 AND "
               "groups=?4 ORDER BY date DESC, id DESC LIMIT -1 OFFSET ?5)") {}

  /// True: it was new.
  Result<bool> add(const ProfileSample& sample, const std::string& line, const std::string& origin) {
    const auto kernel = kernel_of(sample.kernel);
    if (!kernel) return kernel.error();
    const auto device = device_of(sample.device);
    if (!device) return device.error();
    const auto groups = static_cast<std::int64_t>(sample.range.group_total());
    add_sample_.bind(1, *kernel).bind(2, *device).bind(3, sample.tag).bind(4, groups).bind(5, sample.date);
    if (Status done = add_sample_.bind(6, origin).bind(7, digest_of(line)).bind(8, line).run(); !done)
      return done.error();
    if (sqlite3_changes(connection_) == 0) return false;
    if (Status done = count_.bind(1, *kernel).bind(2, *device).run(); !done) return done.error();
    limit_.bind(1, *kernel).bind(2, *device).bind(3, sample.tag).bind(4, groups).bind(5, kMostSamples);
    if (Status done = limit_.run(); !done) return done.error();
    return true;
  }

 private:
  Result<std::int64_t> id_of(Statement& add, Statement& find) {
    if (Status done = add.run(); !done) return done.error();
    const auto row = find.step();
    if (!row) return row.error();
    const std::int64_t id = find.integer(0);
    find.reset();
    return id;
  }
  Result<std::int64_t> kernel_of(const domain::KernelKey& key) {
    add_kernel_.bind(1, key.program).bind(2, key.name).bind(3, key.form);
    find_kernel_.bind(1, key.program).bind(2, key.name).bind(3, key.form);
    return id_of(add_kernel_, find_kernel_);
  }
  Result<std::int64_t> device_of(const domain::DeviceKey& key) {
    const std::int64_t units = key.units;
    add_device_.bind(1, key.platform).bind(2, key.name).bind(3, key.driver).bind(4, units);
    find_device_.bind(1, key.platform).bind(2, key.name).bind(3, key.driver).bind(4, units);
    return id_of(add_device_, find_device_);
  }

  sqlite3* connection_;
  Statement add_kernel_, find_kernel_, add_device_, find_device_, add_sample_, count_, limit_;
};

/// The oldest eighth goes until the rest fits. Pages that got free count as room: the file does not grow again for
/// them.
Status keep_small(sqlite3* connection) {
  for (int round = 0; round < 64; ++round) {
    const auto used = number_of(connection,
                                "SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM "
                                "pragma_freelist_count)) * (SELECT page_size FROM pragma_page_size)");
    if (!used) return used.error();
    if (static_cast<std::uint64_t>(*used) <= kMostFileBytes) return {};
    Status done = execute(connection,
                          "DELETE FROM samples WHERE id IN (SELECT id FROM samples ORDER BY date, id LIMIT (SELECT "
                          "1 + count(*) / 8 FROM samples))");
    if (!done) return done;
  }
  return {};
}

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
  Transaction transaction(connection_.get());
  if (Status begun = transaction.begin(); !begun) return begun.error();
  std::size_t added = 0;
  {
    Writer writer(connection_.get());
    for (const ProfileSample& sample : samples) {
      const std::string line = line_of(sample);
      // One line that cannot be read back would stand in the way of all others.
      if (const auto back = sample_of(line); !back)
        return Error{-1, "sample " + std::to_string(&sample - samples.data()) + ": " + back.error().reason};
      const auto is_new = writer.add(sample, line, origin);
      if (!is_new) return is_new.error();
      added += *is_new ? 1 : 0;
    }
  }
  if (Status done = keep_small(connection_.get()); !done) return done.error();
  if (Status done = transaction.commit(); !done) return done.error();
  return added;
}

Result<std::vector<ProfileSample>> ProfileDatabase::samples(const SampleFilter& filter) const {
  Statement statement(connection_.get(), "SELECT line" + conditions_of(filter) + " ORDER BY line");
  bind(statement, filter);
  std::vector<ProfileSample> found;
  for (auto row = statement.step();; row = statement.step()) {
    if (!row) return row.error();
    if (!*row) return found;
    auto sample = sample_of(statement.text(0));
    if (!sample) return sample.error();
    found.push_back(std::move(*sample));
  }
}

Result<std::vector<KernelOnDevice>> ProfileDatabase::contents() const {
  Statement statement(
      connection_.get(),
      "SELECT kernels.program, kernels.name, form, platform, devices.name, driver, units, count, count(samples.id), "
      "count(DISTINCT groups), coalesce(max(origin), '') FROM seen JOIN kernels ON kernels.id=seen.kernel "
      "JOIN devices ON devices.id=seen.device LEFT JOIN samples ON samples.kernel=seen.kernel AND "
      "samples.device=seen.device GROUP BY seen.kernel, seen.device ORDER BY 2, 1, 3, 4, 5, 6, 7");
  std::vector<KernelOnDevice> found;
  for (auto row = statement.step();; row = statement.step()) {
    if (!row) return row.error();
    if (!*row) return found;
    KernelOnDevice entry;
    entry.kernel = {statement.text(0), statement.text(1), statement.text(2)};
    entry.device = {statement.text(3), statement.text(4), statement.text(5),
                    static_cast<std::uint32_t>(statement.integer(6))};
    entry.seen = static_cast<std::uint64_t>(statement.integer(7));
    entry.samples = static_cast<std::uint64_t>(statement.integer(8));
    entry.sizes = static_cast<std::uint64_t>(statement.integer(9));
    entry.origin = statement.text(10);
    found.push_back(std::move(entry));
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
