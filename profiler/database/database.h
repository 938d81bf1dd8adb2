// SPDX-License-Identifier: Apache-2.0
// The profile database: one SQLite file of timed spans. Rollback journal, never WAL, which loses committed transactions
// in SQLite before 3.51.3 and does not work in homes on a network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/model/calibration.h"
#include "partitioner/model/profile_sample.h"
#include "profiler/database/connection.h"
#include "profiler/database/database_constants.h"

namespace skmd::profiler {

/// Raised where tables change: a file of a later one is not opened.
inline constexpr std::int64_t kSchemaVersion = 3;

/// Limits of the file. Above them the least recently used kernels and devices are removed first: a kernel is used on a
/// device whenever a sample of it is added. Of one kernel, device, size and tag the oldest samples are removed.
struct DatabaseLimits {
  std::uint64_t file_bytes = tuning::kMaxDatabaseBytes;
  std::int64_t samples = tuning::kSamplesOfASize;  // of one kernel, device, size and tag
  int patience = tuning::kPatience;                // milliseconds to wait for another process's transaction
  /// open() looks at every page of a file of at most so many bytes, which takes a few milliseconds for each MiB. Of a
  /// larger file it looks at the head and the tables' declarations; damage elsewhere is an error of what reads it.
  std::uint64_t inspected_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// Empty fields are not looked at.
struct SampleFilter {
  std::string kernel;  // name
  std::string device;  // name
  std::vector<std::string> tags;
  std::int64_t before = 0;  // seconds since 1970
  std::string origin = {};  // "measured", "imported" or "shipped"
};

struct KernelOnDevice {
  domain::KernelKey kernel;
  domain::DeviceKey device;
  std::uint64_t samples = 0;  // kept
  std::uint64_t seen = 0;     // that ever came
  std::uint64_t sizes = 0;    // of launches, in groups
  std::string origin;         // "measured", else "imported", else "shipped"
};

/// What one database counted itself. Counts of others travel with merges, so that merging twice counts once.
struct SeenCount {
  domain::KernelKey kernel;
  domain::DeviceKey device;
  std::string source;  // the database's own name, 32 hexadecimal digits
  std::int64_t count = 0;
};

/// One of each device, and of each direction of a link: devices with equal keys share them.
struct Calibrations {
  std::vector<domain::DeviceCalibration> devices;
  std::vector<domain::LinkCalibration> links;
};

/// All that another database may take over.
struct Contribution {
  std::vector<domain::ProfileSample> measured, imported;
  Calibrations measured_calibrations, imported_calibrations;
  std::vector<SeenCount> seen;  // none of a database before version 3, whose samples count as they come
};

/// Not thread-safe; any number of processes may have the same file open. Waits at most DatabaseLimits::patience for
/// another's transaction.
class ProfileDatabase {
 public:
  enum class Mode : std::uint8_t {
    existing,   // must be there; nothing is created
    read_only,  // likewise, and never written
    create,
  };
  /// Creates the file with mode 0600. A damaged or foreign file is renamed NAME.damaged-DATE and begun anew (`create`
  /// and `existing` only; notice() tells); one of a newer version is left untouched, with an error. So is, in
  /// `read_only`, one whose writer was killed: the other modes finish what it began.
  static domain::Result<ProfileDatabase> open(const std::filesystem::path& file, Mode mode,
                                              const DatabaseLimits& limits = {});

  /// A notice for the user about opening the file; "": none.
  [[nodiscard]] const std::string& notice() const { return notice_; }
  [[nodiscard]] std::uint64_t bytes() const;

  /// All or none, in one transaction; returns how many were new. An error names the first sample that is no span of a
  /// launch or has a number that is not finite. Adding imported samples again adds none, also where there are more of
  /// them than are kept.
  domain::Result<std::size_t> add(std::span<const domain::ProfileSample> samples,
                                  const std::string& origin = "measured");

  /// All or none, in one transaction; returns how many were taken. Of one device or link the newest is kept, and one
  /// that was measured here rather than one that comes from elsewhere.
  domain::Result<std::size_t> add(const Calibrations& calibrations, const std::string& origin = "measured");
  /// In the order of their lines; of one `origin`, or all; as for samples(). A database of version 1 that is only
  /// read has none.
  domain::Result<Calibrations> calibrations(const std::string& origin = "") const;

  /// For merge() of another database.
  domain::Result<Contribution> contribution() const;
  struct Merged {
    std::size_t samples = 0, calibrations = 0;  // that were new
  };
  /// All or none, in one transaction. Merging the same again changes nothing.
  domain::Result<Merged> merge(const Contribution& other);

  /// Version of the tables; below kSchemaVersion where an older database is only read.
  domain::Result<std::int64_t> schema() const;

  /// In the order of their lines, without those of kRoundsForm. One that cannot be read is passed over: check() names
  /// it.
  domain::Result<std::vector<domain::ProfileSample>> samples(const SampleFilter& filter = {}) const;
  /// In the order of keys.
  domain::Result<std::vector<KernelOnDevice>> contents() const;
  /// Of all samples, in order; "" of everyday use.
  domain::Result<std::vector<std::string>> tags() const;
  /// Returns the number of samples removed. Without a kernel or tags, calibrations are removed, too.
  domain::Result<std::size_t> prune(const SampleFilter& filter);
  /// The faults found, one sentence each; empty: none.
  domain::Result<std::vector<std::string>> check() const;
  /// Removes samples and calibrations that check() finds wrong, and writes all tables and their indexes anew, in one
  /// transaction; returns the number removed. Of rows whose keys have become equal one is kept.
  domain::Result<std::size_t> repair();

 private:
  ProfileDatabase(Connection connection, const DatabaseLimits& limits)
      : connection_(std::move(connection)), limits_(limits) {}

  Connection connection_;
  DatabaseLimits limits_;
  std::string notice_;
};

}  // namespace skmd::profiler
