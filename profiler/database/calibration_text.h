// SPDX-License-Identifier: Apache-2.0
// Calibrations as one line of JSON: what the driver answers, files hold, and the database keeps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "partitioner/base/result.h"
#include "partitioner/model/calibration.h"

namespace skmd::profiler {

/// Without line break; keys are sorted, "calibration" among them says of what it is. Bytes that are no UTF-8 are
/// replaced.
std::string line_of(const domain::DeviceCalibration& calibration);
std::string line_of(const domain::LinkCalibration& calibration);

/// The same without "calibration", for documents.
nlohmann::json json_of(const domain::DeviceCalibration& calibration);
nlohmann::json json_of(const domain::LinkCalibration& calibration);

/// Whether a line of a file says that it is a calibration's. It may still have wrong or missing fields.
bool is_calibration(std::string_view line);

using Calibration = std::variant<domain::DeviceCalibration, domain::LinkCalibration>;
/// An error names the key and what is wrong with it. Keys that are not known are passed over.
domain::Result<Calibration> calibration_of(std::string_view line);

/// Of the objects that the driver answers with, which have no "calibration".
domain::Result<domain::DeviceCalibration> device_calibration_of(const nlohmann::json& object);
domain::Result<domain::LinkCalibration> link_calibration_of(const nlohmann::json& object);

std::string_view name_of(domain::Direction direction);

}  // namespace skmd::profiler
