// SPDX-License-Identifier: Apache-2.0
#include "profiler/profile_file.h"

#include <cstdlib>
#include <map>
#include <string>

#include "profiler/cached_kernels.h"
#include "profiler/database/database.h"
#include "profiler/database/profile_place.h"
#include "profiler/settings/variables.h"

namespace skmd::profiler {

using domain::Error;
using nlohmann::json;

domain::Result<ProfileFile> profile_file() {
  const char* value = std::getenv(settings::kProfileDb.name);
  const ProfilePlace place = profile_place(value == nullptr ? "" : value, cache_folder());
  if (place.off) return Error{kProfileOff, "SKMD_PROFILE_DB is off"};
  if (place.file.empty()) return Error{-1, "neither SKMD_CACHE_DIR nor HOME is set"};
  return ProfileFile{place.file, place.read_only};
}

namespace {

/// By its fastest way.
json link_summary(const domain::LinkCalibration& link) {
  json summary{{"host", link.host},
               {"device", link.device.name},
               {"direction", link.direction == domain::Direction::to ? "to" : "from"},
               {"bytes_per_second", 0.0}};
  for (const auto* way : {&link.direct, &link.pinned, &link.staged})
    if (*way && (*way)->line.bytes_per_second > summary["bytes_per_second"].get<double>())
      summary["bytes_per_second"] = (*way)->line.bytes_per_second;
  return summary;
}

}  // namespace

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
  if (const auto calibrations = database->calibrations())
    for (const domain::LinkCalibration& link : calibrations->links) summary["links"].push_back(link_summary(link));
  for (const auto& [key, origin] : devices)
    summary["devices"].push_back({{"platform", key.platform},
                                  {"name", key.name},
                                  {"driver", key.driver},
                                  {"units", key.units},
                                  {"origin", origin}});
  return summary;
}

}  // namespace skmd::profiler
