// SPDX-License-Identifier: Apache-2.0
// The profile database that commands read, and a summary of it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "partitioner/base/result.h"

namespace skmd::profiler {

struct ProfileFile {
  std::filesystem::path path;
  bool read_only = false;  // SKMD_PROFILE_DB=read:FILE
};

/// SKMD_PROFILE_DB without its "read:", else profile.db in the cache folder. An error if it is "off" or nowhere; its
/// code is kProfileOff for the former.
inline constexpr int kProfileOff = -2;
domain::Result<ProfileFile> profile_file();

/// {"file","bytes","devices":[{"platform","name","driver","units","origin"}],
/// "links":[{"host","device","direction","bytes_per_second"}],"problem"}: what the profile database holds. `file` is
/// null where it is off, `problem` a text where it cannot be read or is not there, else null. Changes nothing: samples
/// that wait beside it are not taken in.
nlohmann::json profile_summary();

}  // namespace skmd::profiler
