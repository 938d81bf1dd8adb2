// SPDX-License-Identifier: Apache-2.0
// The profile database as the driver reads it: a few rows by their index, so that a large database costs no more than a
// small one.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "partitioner/base/mutex.h"
#include "partitioner/model/calibration.h"
#include "partitioner/model/profile_store.h"
#include "profiler/database/connection.h"

namespace skmd::profiler {

struct StoredProfileOptions {
  std::filesystem::path file;
  bool read_only = false;                  // nothing is ever written; shipped files are used in memory
  std::filesystem::path shipped;           // folder of the files that came with SKMD; "": none
  std::vector<domain::DeviceKey> devices;  // that are here: what fits none of them is not taken from shipped files
};

/// Opens the file at the first query, for reading only, and reads only the pages that a query needs: damage is an error
/// of the query that meets it. A missing file is empty, and not an error.
class StoredProfile : public domain::ProfileStore {
 public:
  explicit StoredProfile(StoredProfileOptions options) : options_(std::move(options)) {}

  domain::Result<std::vector<domain::StoredSample>> samples(const domain::KernelKey& kernel,
                                                            const domain::DeviceKey& device) override;
  domain::Result<std::vector<domain::StoredSample>> rounds(const domain::KernelKey& kernel,
                                                           const domain::DeviceKey& device) override {
    return samples({kernel.program, kernel.name, std::string(domain::kRoundsForm)}, device);
  }
  domain::Bounds bounds(const domain::DeviceKey& device) override;
  void rest() override { connection_.reset(); }
  Haste haste() override;
  /// Journals of ended processes, and shipped files that fit a device here and were not taken in yet.
  domain::Result<Tended> tend() override;

 private:
  domain::Result<sqlite3*> connection();
  /// None where there is no calibration, or where it cannot be read.
  std::optional<domain::Bounds> stored_bounds(const domain::DeviceKey& device);
  domain::Status read(const domain::KernelKey& kernel, std::int64_t device, std::vector<domain::StoredSample>& to);

  const StoredProfileOptions options_;
  Connection connection_;
  Mutex mutex_{LockRank::stored_profile};
  // Of files that are used in memory only.
  std::vector<domain::ProfileSample> shipped_ SKMD_GUARDED_BY(mutex_);
  std::vector<domain::DeviceCalibration> shipped_calibrations_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::profiler
