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

/// What libexec/skmd/draw_prediction.py draws: {"version":1,"left_out":n,"panels":[{"kernel","form","device",
/// "launches":[{"groups","label","measured":[[groups, seconds]],"predicted":[[groups, seconds, low, high]]}]}]}. A
/// panel for each kernel and device, at most kMaxPanels: those with most samples; `left_out` counts the others.
inline constexpr std::size_t kMaxPanels = 48;
nlohmann::json plot_json(std::span<const domain::ProfileSample> samples, const BoundsOf& bounds);

/// Writes the picture as SVG; `file` appears whole or not at all. Runs python3 with matplotlib. An error says what is
/// missing.
domain::Status draw(const nlohmann::json& plot, const std::string& file);

}  // namespace skmd::profiler
