// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/writer.h"

#include "profiler/database/database_constants.h"
#include "profiler/database/sample_text.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::ProfileSample;
using domain::Result;
using domain::Status;

constexpr std::int64_t kOwnSource = 1;

// All of one size, newest first; equal dates in an order that does not depend on when a sample came, so that of the
// same samples the same are kept.
constexpr const char* kNewestFirst =
    "FROM samples WHERE kernel=?1 AND device=?2 AND tag=?3 AND groups=?4 ORDER BY date DESC, digest DESC ";

void bind_size(Statement& statement, const Writer::Size& size) {
  const auto& [kernel, device, tag, groups] = size;
  statement.bind(1, kernel).bind(2, device).bind(3, tag).bind(4, groups);
}

}  // namespace

Writer::Writer(sqlite3* connection, const DatabaseLimits& limits)
    : connection_(connection),
      limits_(limits),
      add_kernel_(connection, "INSERT OR IGNORE INTO kernels(program, name, form) VALUES(?, ?, ?)"),
      find_kernel_(connection, "SELECT id FROM kernels WHERE program=? AND name=? AND form=?"),
      add_device_(connection, "INSERT OR IGNORE INTO devices(platform, name, driver, units) VALUES(?, ?, ?, ?)"),
      find_device_(connection, "SELECT id FROM devices WHERE platform=? AND name=? AND driver=? AND units=?"),
      add_source_(connection, "INSERT OR IGNORE INTO sources(name) VALUES(?)"),
      find_source_(connection, "SELECT id FROM sources WHERE name=?"),
      add_sample_(connection,
                  "INSERT OR IGNORE INTO samples(kernel, device, tag, groups, date, origin, digest, line) "
                  "VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
      count_(
          connection,
          "INSERT INTO seen(kernel, device, source, count) VALUES(?, ?, ?, ?) ON CONFLICT(kernel, device, source) DO "
          "UPDATE SET count=count+excluded.count"),
      raise_(
          connection,
          "INSERT INTO seen(kernel, device, source, count) VALUES(?, ?, ?, ?) ON CONFLICT(kernel, device, source) DO "
          "UPDATE SET count=max(count, excluded.count)"),
      oldest_(connection, std::string("SELECT date, digest ") + kNewestFirst + "LIMIT 1 OFFSET ?5"),
      limit_(connection,
             std::string("DELETE FROM samples WHERE id IN (SELECT id ") + kNewestFirst + "LIMIT -1 OFFSET ?5)"),
      use_(connection,
           "INSERT INTO uses(kernel, device, number) VALUES(?, ?, ?) ON CONFLICT(kernel, device) DO UPDATE SET "
           "number=excluded.number") {}

Result<bool> Writer::add(const ProfileSample& sample, const std::string& origin, Counted counted) {
  const std::string line = line_of(sample);
  // One line that cannot be read back would stand in the way of all others.
  if (const auto back = sample_of(line); !back) return back.error();
  const auto kernel = kernel_of(sample.kernel);
  if (!kernel) return kernel.error();
  const auto device = device_of(sample.device);
  if (!device) return device.error();
  const auto groups = static_cast<std::int64_t>(sample.range.group_total());
  const std::string digest = digest_of(line);
  const auto too_old = is_too_old({*kernel, *device, sample.tag, groups}, {sample.date, digest});
  if (!too_old) return too_old.error();
  if (*too_old && counted != Counted::all) return false;
  if (!*too_old) {
    add_sample_.bind(1, *kernel).bind(2, *device).bind(3, sample.tag).bind(4, groups).bind(5, sample.date);
    if (Status done = add_sample_.bind(6, origin).bind(7, digest).bind(8, line).run(); !done) return done.error();
    if (sqlite3_changes(connection_) == 0) return false;
    unsettled_ += line.size() + tuning::kBesideLine;
  }
  const std::int64_t count = counted == Counted::none ? 0 : 1 + std::int64_t{sample.passed_over};
  count_.bind(1, *kernel).bind(2, *device).bind(3, kOwnSource).bind(4, count);
  if (Status done = count_.run(); !done) return done.error();
  if (Status done = use({*kernel, *device}); !done) return done.error();
  if (unsettled_ > limits_.file_bytes / tuning::kGrowthPart)
    if (Status done = settle(); !done) return done.error();
  return true;
}

Status Writer::count(const SeenCount& seen) {
  const auto kernel = kernel_of(seen.kernel);
  if (!kernel) return kernel.error();
  const auto device = device_of(seen.device);
  if (!device) return device.error();
  const auto source = source_of(seen.source);
  if (!source) return source.error();
  return raise_.bind(1, *kernel).bind(2, *device).bind(3, *source).bind(4, seen.count).run();
}

Status Writer::finish() {
  if (Status done = settle(); !done) return done;
  if (!evicted_) return {};
  // What has no sample left is forgotten; only now, since ids could be given again.
  return execute(connection_,
                 "DELETE FROM seen WHERE NOT EXISTS (SELECT 1 FROM samples WHERE samples.kernel=seen.kernel AND "
                 "samples.device=seen.device);"
                 "DELETE FROM uses WHERE NOT EXISTS (SELECT 1 FROM samples WHERE samples.kernel=uses.kernel AND "
                 "samples.device=uses.device);"
                 "DELETE FROM kernels WHERE NOT EXISTS (SELECT 1 FROM samples WHERE kernel=kernels.id)");
}

Result<std::int64_t> Writer::id_of(Statement& add, Statement& find) {
  if (Status done = add.run(); !done) return done.error();
  const auto row = find.step();
  if (!row) return row.error();
  const std::int64_t id = find.integer(0);
  const bool found = *row;
  find.reset();
  // An index that does not find what was just put in.
  if (!found) return Error{-SQLITE_CORRUPT, "the profile database: a row that was added is not found"};
  return id;
}

Result<std::int64_t> Writer::kernel_of(const domain::KernelKey& key) {
  add_kernel_.bind(1, key.program).bind(2, key.name).bind(3, key.form);
  find_kernel_.bind(1, key.program).bind(2, key.name).bind(3, key.form);
  return id_of(add_kernel_, find_kernel_);
}

Result<std::int64_t> Writer::device_of(const domain::DeviceKey& key) {
  const std::int64_t units = key.units;
  add_device_.bind(1, key.platform).bind(2, key.name).bind(3, key.driver).bind(4, units);
  find_device_.bind(1, key.platform).bind(2, key.name).bind(3, key.driver).bind(4, units);
  return id_of(add_device_, find_device_);
}

Result<std::int64_t> Writer::source_of(const std::string& name) {
  add_source_.bind(1, name);
  find_source_.bind(1, name);
  return id_of(add_source_, find_source_);
}

/// Whether those of the size that were there before this transaction are enough, and all newer.
Result<bool> Writer::is_too_old(const Size& size, const Age& age) {
  const auto known = oldest_of_.find(size);
  if (known != oldest_of_.end()) return age < known->second;
  bind_size(oldest_, size);
  oldest_.bind(5, limits_.samples - 1);
  const auto row = oldest_.step();
  if (!row) return row.error();
  const Age oldest = *row ? Age{oldest_.integer(0), oldest_.text(1)} : Age{INT64_MIN, ""};
  oldest_.reset();
  return age < oldest_of_.emplace(size, oldest).first->second;
}

Status Writer::use(const Pair& pair) {
  if (number_ == 0) {
    const auto last = number_of(connection_, "SELECT max(number) FROM uses");
    if (!last) return last.error();
    number_ = *last + 1;
  }
  if (!used_.insert(pair).second) return {};
  return use_.bind(1, pair.first).bind(2, pair.second).bind(3, number_).run();
}

Status Writer::settle() {
  for (const auto& [size, oldest] : oldest_of_) {
    bind_size(limit_, size);
    if (Status done = limit_.bind(5, limits_.samples).run(); !done) return done;
  }
  unsettled_ = 0;
  return keep_small();
}

/// The eighth that was not used for longest goes until the rest fits. Pages that got free count as room: the file does
/// not grow again for them.
Status Writer::keep_small() {
  const std::uint64_t most = limits_.file_bytes - limits_.file_bytes / tuning::kSparePart;
  for (int round = 0; round < tuning::kMaxRounds; ++round) {
    const auto used = number_of(connection_,
                                "SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM "
                                "pragma_freelist_count)) * (SELECT page_size FROM pragma_page_size)");
    if (!used) return used.error();
    if (static_cast<std::uint64_t>(*used) <= most) return {};
    evicted_ = true;
    Status done = execute(connection_,
                          "DELETE FROM samples WHERE id IN (SELECT samples.id FROM samples LEFT JOIN uses ON "
                          "uses.kernel=samples.kernel AND uses.device=samples.device ORDER BY coalesce(number, 0), "
                          "samples.date, digest LIMIT (SELECT 1 + count(*) / 8 FROM samples))");
    if (!done) return done;
    if (sqlite3_changes(connection_) == 0) return {};  // nothing is left that could go
  }
  return {};
}

}  // namespace skmd::profiler
