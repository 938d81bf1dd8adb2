// SPDX-License-Identifier: Apache-2.0
// Measuring all devices and links of a machine within a given time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/calibration/probe.h"
#include "partitioner/model/calibration.h"

namespace skmd::icd::calibration {

struct Subject {
  std::shared_ptr<Device> device;
  domain::DeviceKey key;
};

struct Orders {
  Clock clock;
  double seconds = 30.0;  // for everything, about
  std::string salt;       // digits, other ones in every process
  /// Told the part that is done, 0 to 1, and what is measured next. Called by the caller's thread; throws nothing.
  std::function<void(double part, const std::string& what)> progress = [](double, const std::string&) {};
};

struct Findings {
  std::vector<domain::DeviceCalibration> devices;  // without commit and date
  std::vector<domain::LinkCalibration> links;      // likewise, and without host
  std::vector<std::string> problems;               // "name: reason" of what could not be measured
};

/// Of devices with equal keys the first is measured, with its link; two of them stand for any two. Blocks; no other
/// work should be under way. Throws std::bad_alloc.
Findings calibrate(const std::vector<Subject>& subjects, const Orders& orders);

}  // namespace skmd::icd::calibration
