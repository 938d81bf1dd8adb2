// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/profile_place.h"

#include <string_view>

namespace skmd::profiler {

ProfilePlace profile_place(const std::string& setting, const std::filesystem::path& cache_folder) {
  constexpr std::string_view kReadOnly = "read:";
  ProfilePlace place;
  place.off = setting == "off";
  if (place.off) return place;
  place.read_only = setting.starts_with(kReadOnly);
  place.file = place.read_only ? setting.substr(kReadOnly.size()) : setting;
  place.named = !place.file.empty();
  if (!place.named && !cache_folder.empty()) place.file = cache_folder / "profile.db";
  return place;
}

}  // namespace skmd::profiler
