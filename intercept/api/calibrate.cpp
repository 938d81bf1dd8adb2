// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/calibrate.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "intercept/api/entry.h"
#include "intercept/api/platform.h"
#include "intercept/calibration/calibrate.h"
#include "intercept/machine/profile_key.h"
#include "profiler/database/calibration_text.h"

namespace skmd::icd::api {
namespace {

using Json = nlohmann::json;

constexpr double kMaxSeconds = 3600.0;  // that a caller may ask for

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string measured(const Platform& platform, double seconds, CalibrationProgress progress, void* user) {
  std::vector<calibration::Subject> subjects;
  for (const auto& device : platform.machine().devices) subjects.push_back({device, profile_key(*device)});
  calibration::Orders orders;
  orders.clock = now;
  orders.seconds = seconds;
  orders.salt = std::to_string(std::chrono::system_clock::now().time_since_epoch().count() % 1'000'000'000);
  if (progress != nullptr)
    orders.progress = [&](double part, const std::string& what) { progress(part, what.c_str(), user); };
  const calibration::Findings findings = calibration::calibrate(subjects, orders);
  Json out = {{"version", 1}, {"devices", Json::array()}, {"links", Json::array()}, {"problems", findings.problems}};
  for (const auto& device : findings.devices) out["devices"].push_back(profiler::json_of(device));
  for (const auto& link : findings.links) out["links"].push_back(profiler::json_of(link));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

cl_int CL_API_CALL clSkmdCalibrate(cl_platform_id platform, cl_double seconds, CalibrationProgress progress,
                                   CalibrationAnswer answer, void* user) {
  return entry("clSkmdCalibrate", [&]() -> Status {
    const auto object = borrow<Platform>(platform);
    if (!object) return object.error();
    if (!(seconds > 0 && seconds <= kMaxSeconds))
      return Error{CL_INVALID_VALUE, "seconds is " + std::to_string(seconds) + ": it must be above 0 and at most 3600"};
    if (answer == nullptr) return Error{CL_INVALID_VALUE, "answer is NULL"};
    answer(measured(**object, seconds, progress, user).c_str(), user);
    return {};
  });
}

}  // namespace skmd::icd::api
