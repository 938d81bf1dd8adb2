// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace skmd::profiler {

/// Where the driver keeps compiled programs: SKMD_CACHE_DIR, else $XDG_CACHE_HOME/skmd, else ~/.cache/skmd; "" if none
/// of them is set.
std::string cache_folder();

/// Kernels of all programs in the cache folder, by name: {"name","program","access","split","form"}. "split" is "yes",
/// "like devices" (floats decide addresses) or the reason for which every launch stays whole; "form" is "untouched" or
/// "partition-ready". Opaque programs have no kernels there: {"name":"","program","split":"opaque_program","reason"}.
nlohmann::json cached_kernels(const std::string& folder);

/// Programs of the cache folder that some device refused after their build had ended, one entry for each such device:
/// {"program","builds":[{"device":"platform name version","state":"failed","reason"}]}.
nlohmann::json cached_failures(const std::string& folder);

}  // namespace skmd::profiler
