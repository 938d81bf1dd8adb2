// SPDX-License-Identifier: Apache-2.0
// Where the profile database is: the one rule for the driver and the commands.
#pragma once

#include <filesystem>
#include <string>

namespace skmd::profiler {

struct ProfilePlace {
  std::filesystem::path file;  // "": there is none
  bool read_only = false;      // nothing may be written, beside it neither
  bool named = false;          // by the user, not by default
  bool off = false;            // switched off by the user; else there is a file unless there is no cache folder
};

/// `setting`: the value of SKMD_PROFILE_DB: FILE, "read:FILE" ("read:" alone for the default file), "off", or "" for
/// the default, profile.db in `cache_folder`, which is "" where there is none.
ProfilePlace profile_place(const std::string& setting, const std::filesystem::path& cache_folder);

}  // namespace skmd::profiler
