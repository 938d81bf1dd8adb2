// SPDX-License-Identifier: Apache-2.0
// Measured and predicted times as a picture: Fig. 7 of SKMD (TOCS 2015), for each kernel and device.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "partitioner/base/result.h"
#include "partitioner/model/profile_sample.h"
#include "profiler/commands/calibrated.h"

namespace skmd::profiler {

nlohmann::json plot_json(std::span<const domain::ProfileSample> samples, const BoundsOf& bounds);

/// Writes the picture as SVG; `file` appears whole or not at all. Runs python3 with matplotlib. An error says what is
/// missing.
domain::Status draw(const nlohmann::json& plot, const std::string& file);

}  // namespace skmd::profiler
