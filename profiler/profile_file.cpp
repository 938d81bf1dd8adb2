// SPDX-License-Identifier: Apache-2.0
#include "profiler/profile_file.h"

#include <cstdlib>
#include <map>
#include <string>

#include "profiler/cached_kernels.h"
#include "profiler/database/database.h"

namespace skmd::profiler {

using domain::Error;
using nlohmann::json;

domain::Result<ProfileFile> profile_file() {
  constexpr std::string_view kReadOnly = "read:";
  const char* value = std::getenv("SKMD_PROFILE_DB");
  std::string named = value == nullptr ? "" : value;
  if (named == "off") return Error{kProfileOff, "SKMD_PROFILE_DB is off"};
  const bool read_only = named.starts_with(kReadOnly);
  if (read_only) named.erase(0, kReadOnly.size());
  if (!named.empty()) return ProfileFile{named, read_only};
  const std::string folder = cache_folder();
  if (folder.empty()) return Error{-1, "neither SKMD_CACHE_DIR nor HOME is set"};
  return ProfileFile{std::filesystem::path(folder) / "profile.db", read_only};
}

json profile_summary() {
  json summary{
      {"file", nullptr}, {"bytes", 0}, {"devices", json::array()}, {"links", json::array()}, {"problem", nullptr}};
  const auto file = profile_file();
  if (!file) {
    if (file.error().code != kProfileOff) summary["problem"] = file.error().reason;
    return summary;
  }
  summary["file"] = file->path.string();
  std::error_code error;
  if (!std::filesystem::exists(file->path, error)) {
    summary["problem"] = "it is not there";
    return summary;
  }
  const auto database = ProfileDatabase::open(file->path, ProfileDatabase::Mode::read_only);
  if (!database) {
    summary["problem"] = database.error().reason;
    return summary;
  }
  summary["bytes"] = database->bytes();
  const auto contents = database->contents();
  if (!contents) {
    summary["problem"] = contents.error().reason;
    return summary;
  }
  std::map<domain::DeviceKey, std::string> devices;
  for (const KernelOnDevice& entry : *contents) {
    std::string& origin = devices[entry.device];
    if (origin != "measured") origin = entry.origin;
  }
  for (const auto& [key, origin] : devices)
    summary["devices"].push_back({{"platform", key.platform},
                                  {"name", key.name},
                                  {"driver", key.driver},
                                  {"units", key.units},
                                  {"origin", origin}});
  return summary;
}

}  // namespace skmd::profiler
