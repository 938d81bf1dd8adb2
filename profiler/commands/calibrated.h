// SPDX-License-Identifier: Apache-2.0
// Stored calibrations as the commands use and print them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "partitioner/model/calibration_curves.h"
#include "profiler/database/database.h"

namespace skmd::profiler {

using BoundsOf = std::function<domain::Bounds(const domain::DeviceKey&)>;

/// Bounds on the times of spans, by device, from the database's calibrations. A device without one has no bounds.
domain::Result<BoundsOf> stored_bounds(const ProfileDatabase& database);

/// {"name","platform","driver","units","calibration":{…}} without origin.
nlohmann::json device_document(const domain::DeviceCalibration& device);
/// {"device","platform",…} as in files.
nlohmann::json link_document(const domain::LinkCalibration& link);

/// Readable text: each device with its links, in lines that end with a line break.
std::string text_of(const Calibrations& calibrations);

/// The processor and the number of its threads: the host of links here.
std::string host_here();
/// As the system names it; "" where it does not.
std::string processor_here();

}  // namespace skmd::profiler
