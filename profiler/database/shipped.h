// SPDX-License-Identifier: Apache-2.0
// Files of samples that came with SKMD: NAME.jsonl in one folder, as skmd-profile export writes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/model/profile_sample.h"
#include "profiler/database/exchange.h"

namespace skmd::profiler {

/// By which it can be told whether the files are those of before: their names, sizes and times. "": there are none.
std::string shipped_state(const std::filesystem::path& folder);

/// What the files say of devices with the platform and name of one of `devices`. A file that cannot be read is an error
/// that names it.
domain::Result<Exchange> read_shipped(const std::filesystem::path& folder,
                                      const std::vector<domain::DeviceKey>& devices);

/// Of `devices` those for which `database` does not hold the files of this state. All, if it is not there or cannot be
/// read.
std::vector<domain::DeviceKey> without_shipped(const std::filesystem::path& database, const std::string& state,
                                               const std::vector<domain::DeviceKey>& devices);

/// Takes in what fits without_shipped() devices, with the origin "shipped"; what files of another state said of them
/// goes. Creates the database where there is something to take in. Returns how many samples were new.
domain::Result<std::size_t> take_in_shipped(const std::filesystem::path& database, const std::filesystem::path& folder,
                                            const std::vector<domain::DeviceKey>& devices);

}  // namespace skmd::profiler
