// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/stored_profile.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "partitioner/model/calibration_curves.h"
#include "profiler/database/calibration_text.h"
#include "profiler/database/database_constants.h"
#include "profiler/database/journal.h"
#include "profiler/database/plain_open.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/schema.h"
#include "profiler/database/shipped.h"
#include "profiler/database/sqlite.h"
#include "profiler/database/take_in.h"

namespace skmd::profiler {
namespace {

using domain::DeviceKey;
using domain::KernelKey;
using domain::Result;
using domain::SampleOrigin;
using domain::Status;
using domain::StoredSample;

// Platform and name are parameters 1 and 2. A database that nothing has written to since may have a name of before
// (former_names.h), which ends with today's; what is read of it has that.
constexpr const char* kIsOfThisMake =
    "platform=?1 AND (name=?2 OR platform='SKMD' AND substr(name, -length(?2)-1)='-'||?2)";

SampleOrigin origin_of(const std::string& text) {
  if (text == "shipped") return SampleOrigin::shipped;
  return text == "measured" ? SampleOrigin::here : SampleOrigin::imported;
}

/// Nor is one that another process is just making.
bool is_there(const std::filesystem::path& file) {
  struct stat state {};
  if (::stat(file.c_str(), &state) != 0) return errno != ENOENT;
  return !S_ISREG(state.st_mode) || state.st_size != 0;
}

Status check_owner(sqlite3* connection, const std::filesystem::path& file) {
  const auto owner = owner_of(connection);
  if (!owner) return owner.error();
  if (*owner == Owner::newer) return domain::Error{-1, file.string() + " was made by a newer SKMD, and is not read"};
  if (*owner != Owner::ours) return domain::Error{-1, file.string() + " is another program's database"};
  return {};
}

}  // namespace

Result<sqlite3*> StoredProfile::connection() {
  if (connection_ == nullptr) {
    auto opened = open_plain(options_.file, Access::reading, tuning::kPatienceOfLaunches);
    if (!opened) return opened.error();
    if (Status ours = check_owner(opened->get(), options_.file); !ours) return ours.error();
    // Sorting a few rows needs no file.
    if (Status done = execute(opened->get(), "PRAGMA temp_store=MEMORY"); !done) return done.error();
    connection_ = std::move(*opened);
  }
  return connection_.get();
}

Status StoredProfile::read(const KernelKey& kernel, std::int64_t device, std::vector<StoredSample>& to) {
  const auto handle = connection();
  if (!handle) return handle.error();
  Statement rows(*handle,
                 "SELECT line, origin FROM samples WHERE id IN (SELECT id FROM (SELECT id, date, row_number() OVER "
                 "(PARTITION BY tag, groups ORDER BY date DESC) AS number FROM samples WHERE kernel=(SELECT id FROM "
                 "kernels WHERE program=?1 AND name=?2 AND form=?3) AND device=?4) WHERE number<=?5 ORDER BY date DESC "
                 "LIMIT ?6)");
  rows.bind(1, kernel.program).bind(2, kernel.name).bind(3, kernel.form);
  rows.bind(4, device).bind(5, tuning::kReadOfASize).bind(6, tuning::kMaxRead);
  for (auto row = rows.step();; row = rows.step()) {
    if (!row) return row.error();
    if (!*row) return {};
    // A line that cannot be read is one that skmd-profile check finds.
    if (auto sample = sample_of(rows.text(0))) to.push_back({std::move(*sample), origin_of(rows.text(1))});
  }
}

Result<std::vector<StoredSample>> StoredProfile::samples(const KernelKey& kernel, const DeviceKey& device) {
  std::vector<StoredSample> found;
  {
    const MutexGuard lock(mutex_);
    for (const auto& sample : shipped_)
      if (sample.kernel == kernel && sample.device.platform == device.platform && sample.device.name == device.name)
        found.push_back({sample, SampleOrigin::shipped});
  }
  if (!is_there(options_.file)) return found;
  const auto handle = connection();
  if (!handle) return handle.error();
  std::vector<std::int64_t> devices;
  {
    Statement alike(*handle, std::string("SELECT id FROM devices WHERE ") + kIsOfThisMake +
                                 " ORDER BY driver=?3 AND units=?4 DESC, id DESC");
    const std::int64_t units = device.units;
    alike.bind(1, device.platform).bind(2, device.name).bind(3, device.driver).bind(4, units);
    auto row = alike.step();
    for (; row && *row; row = alike.step()) devices.push_back(alike.integer(0));
    if (!row) return row.error();
  }
  if (devices.size() > tuning::kMaxVersions) devices.resize(tuning::kMaxVersions);
  for (const std::int64_t id : devices)
    if (Status done = read(kernel, id, found); !done) return done.error();
  return found;
}

std::optional<domain::Bounds> StoredProfile::stored_bounds(const DeviceKey& device) {
  if (!is_there(options_.file)) return std::nullopt;
  const auto handle = connection();
  if (!handle) return std::nullopt;
  Statement find(*handle, std::string("SELECT line FROM device_calibrations JOIN devices ON devices.id=device WHERE ") +
                              kIsOfThisMake + " AND driver=?3 AND units=?4 ORDER BY name=?2 DESC");
  const std::int64_t units = device.units;
  const auto row = find.bind(1, device.platform).bind(2, device.name).bind(3, device.driver).bind(4, units).step();
  if (!row || !*row) return std::nullopt;
  const auto one = calibration_of(find.text(0));
  const auto* calibration = one ? std::get_if<domain::DeviceCalibration>(&*one) : nullptr;
  if (calibration == nullptr) return std::nullopt;
  return domain::bounds_of(*calibration);
}

domain::Bounds StoredProfile::bounds(const DeviceKey& device) {
  if (const auto stored = stored_bounds(device)) return *stored;
  const MutexGuard lock(mutex_);
  for (const auto& calibration : shipped_calibrations_)
    if (calibration.device == device) return domain::bounds_of(calibration);
  return {};
}

domain::ProfileStore::Haste StoredProfile::haste() {
  const std::string state = shipped_state(options_.shipped);
  const bool lacks =
      options_.read_only ? !state.empty() : !without_shipped(options_.file, state, options_.devices).empty();
  if (lacks) return Haste::most;
  return !options_.read_only && count_journals(options_.file) >= tuning::kManyJournals ? Haste::some : Haste::none;
}

Result<domain::ProfileStore::Tended> StoredProfile::tend() {
  if (options_.read_only) {
    auto read = read_shipped(options_.shipped, options_.devices);
    if (!read) return read.error();
    const MutexGuard lock(mutex_);
    shipped_ = std::move(read->samples);
    shipped_calibrations_ = std::move(read->calibrations.devices);
    return Tended{!shipped_.empty() || !shipped_calibrations_.empty(), {}};
  }
  // First: where it sets a damaged database aside, it says so.
  const auto taken = take_in_journals(options_.file);
  const auto shipped = take_in_shipped(options_.file, options_.shipped, options_.devices);
  if (!taken) return taken.error();
  if (!shipped) return shipped.error();
  return Tended{taken->samples + *shipped != 0, taken->notice};
}

}  // namespace skmd::profiler
