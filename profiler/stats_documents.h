// SPDX-License-Identifier: Apache-2.0
// The stats documents that processes of an application left behind, and one document made of several.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace skmd::profiler {

struct ProcessStats {
  long process = 0;
  nlohmann::ordered_json document;
};

/// Puts the pieces of a shared counter file together (the layout is described in intercept/observe/shared_pieces.h).
/// Nothing if the file is not one or was never filled.
std::optional<nlohmann::ordered_json> read_pieces(const std::string& path);

/// All files `<process id>.pieces` of a folder, in the order of process ids.
std::vector<ProcessStats> read_folder(const std::string& folder);

/// Counts of several processes added up. Documents with other devices than the first are left out, as their per-device
/// counts would mean something else. The median of partition times becomes the mean of medians, weighted by count.
nlohmann::ordered_json add_up(const std::vector<ProcessStats>& processes);

}  // namespace skmd::profiler
