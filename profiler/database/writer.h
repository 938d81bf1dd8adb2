// SPDX-License-Identifier: Apache-2.0
// Inserts samples and calibrations into the tables, and removes those above the limits. Precondition: a transaction of
// the caller's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "profiler/database/database.h"
#include "profiler/database/sqlite.h"

namespace skmd::profiler {

/// Which samples count as seen, with those that were passed over for them.
enum class Counted : std::uint8_t {
  all,   // also those that are older than all of the 256 that are kept, and go at once
  kept,  // those that are taken in: what an import brings a second time counts once
  none,  // Writer::count() is told the numbers
};

/// The samples of one transaction. Statements are prepared once for all of them. Not thread-safe.
class Writer {
 public:
  Writer(sqlite3* connection, const DatabaseLimits& limits);

  /// True: it was new. An error names what of the sample could not be read back, and nothing of it was written.
  domain::Result<bool> add(const domain::ProfileSample& sample, const std::string& origin, Counted counted);
  /// Raises what `seen` says of its database to at least its count.
  domain::Status count(const SeenCount& seen);
  /// Removes rows above the limits. To be called after the last add(), before the commit.
  domain::Status finish();

  using Size = std::tuple<std::int64_t, std::int64_t, std::string, std::int64_t>;  // kernel, device, tag, groups

 private:
  using Pair = std::pair<std::int64_t, std::int64_t>;  // kernel, device
  using Age = std::pair<std::int64_t, std::string>;    // date, digest

  domain::Result<std::int64_t> id_of(Statement& add, Statement& find);
  domain::Result<std::int64_t> kernel_of(const domain::KernelKey& key);
  domain::Result<std::int64_t> device_of(const domain::DeviceKey& key);
  domain::Result<std::int64_t> source_of(const std::string& name);
  domain::Result<bool> is_too_old(const Size& size, const Age& age);
  domain::Status use(const Pair& pair);
  /// Keeps the newest of each size that was added to, and the file below its limit.
  domain::Status settle();
  domain::Status keep_small();

  sqlite3* connection_;
  const DatabaseLimits limits_;
  Statement add_kernel_, find_kernel_, add_device_, find_device_, add_source_, find_source_, add_sample_, count_,
      raise_, oldest_, limit_, use_;
  std::int64_t number_ = 0;        // of this transaction's uses; 0: there was none yet
  std::set<Pair> used_;            // that have the number
  std::map<Size, Age> oldest_of_;  // of sizes that were full before this transaction; others have the least Age
  std::uint64_t unsettled_ = 0;    // bytes that were added since settle(), roughly
  bool evicted_ = false;           // for the file's size
};

/// Of the device's row, which is added where it is not there.
domain::Result<std::int64_t> device_id(sqlite3* connection, const domain::DeviceKey& key);

/// All of them; returns how many were taken.
domain::Result<std::size_t> put_calibrations(sqlite3* connection, const Calibrations& calibrations,
                                             const std::string& origin);

}  // namespace skmd::profiler
