// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/calibrate.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "intercept/api/entry.h"
#include "intercept/api/platform.h"
#include "intercept/calibration/calibrate.h"
#include "intercept/object/device_query.h"

namespace skmd::icd::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostSeconds = 3600.0;

void put_key(Json& to, const domain::DeviceKey& key) {
  to["platform"] = key.platform;
  to["device"] = key.name;
  to["driver"] = key.driver;
  to["units"] = key.units;
}

Json json_of(const domain::DeviceCalibration& device) {
  Json out;
  put_key(out, device.device);
  out["launch_seconds"] = device.launch_seconds;
  out["box_seconds"] = device.box_seconds;
  out["first_use_seconds"] = device.first_use_seconds;
  out["cache_bytes"] = device.memory.bytes;
  out["cache_bytes_per_second"] = device.memory.inside_per_second;
  out["memory_bytes_per_second"] = device.memory.beyond_per_second;
  out["host_cores"] = device.host_cores;
  out["bandwidth"] = Json::array();
  for (const auto& point : device.bandwidth) out["bandwidth"].push_back({point.bytes, point.bytes_per_second});
  return out;
}

Json json_of(const std::optional<domain::LinkWay>& way) {
  if (!way) return nullptr;
  Json points = Json::array();
  for (const auto& point : way->points) points.push_back({point.bytes, point.seconds});
  return {{"latency_seconds", way->line.latency_seconds},
          {"bytes_per_second", way->line.bytes_per_second},
          {"threads", way->threads},
          {"points", std::move(points)}};
}

Json json_of(const std::vector<domain::LinkBeside>& list) {
  Json out = Json::array();
  for (const auto& entry : list)
    out.push_back({{"device", entry.device},
                   {"bytes_per_second", entry.bytes_per_second},
                   {"other_bytes_per_second", entry.other_per_second}});
  return out;
}

Json json_of(const domain::LinkCalibration& link) {
  Json out;
  put_key(out, link.device);
  out["direction"] = link.direction == domain::Direction::to ? "to" : "from";
  out["in_place"] = link.in_place;
  out["direct"] = json_of(link.direct);
  out["pinned"] = json_of(link.pinned);
  out["staged"] = json_of(link.staged);
  out["beside_links"] = json_of(link.beside_links);
  out["beside_kernels"] = json_of(link.beside_kernels);
  return out;
}

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
  for (const auto& device : findings.devices) out["devices"].push_back(json_of(device));
  for (const auto& link : findings.links) out["links"].push_back(json_of(link));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

cl_int CL_API_CALL clSkmdCalibrate(cl_platform_id platform, cl_double seconds, CalibrationProgress progress,
                                   CalibrationAnswer answer, void* user) {
  return entry("clSkmdCalibrate", [&]() -> Status {
    const auto object = borrow<Platform>(platform);
    if (!object) return object.error();
    if (!(seconds > 0 && seconds <= kMostSeconds))
      return Error{CL_INVALID_VALUE, "seconds is " + std::to_string(seconds) + ": it must be above 0 and at most 3600"};
    if (answer == nullptr) return Error{CL_INVALID_VALUE, "answer is NULL"};
    answer(measured(**object, seconds, progress, user).c_str(), user);
    return {};
  });
}

}  // namespace skmd::icd::api
