// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/calibration_text.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "profiler/database/former_names.h"
#include "profiler/database/line_reader.h"

namespace skmd::profiler {
namespace {

using domain::DeviceCalibration;
using domain::Direction;
using domain::Error;
using domain::LinkCalibration;
using domain::LinkWay;
using nlohmann::json;

void put(json& to, const domain::DeviceKey& key) {
  to["platform"] = key.platform;
  to["device"] = key.name;
  to["driver"] = key.driver;
  to["units"] = key.units;
}

json json_of(const std::optional<LinkWay>& way) {
  if (!way) return nullptr;
  json points = json::array();
  for (const auto& point : way->points) points.push_back({point.bytes, point.seconds});
  return {{"latency_seconds", way->line.latency_seconds},
          {"bytes_per_second", way->line.bytes_per_second},
          {"threads", way->threads},
          {"points", points}};
}

json json_of(const std::vector<domain::LinkBeside>& list) {
  json out = json::array();
  for (const auto& entry : list)
    out.push_back({{"device", entry.device},
                   {"bytes_per_second", entry.bytes_per_second},
                   {"other_bytes_per_second", entry.other_per_second}});
  return out;
}

void read_key(Reader& reader, domain::DeviceKey& key) {
  reader.read("platform", key.platform);
  reader.read("device", key.name);
  reader.read("driver", key.driver);
  reader.read("units", key.units);
}

/// Pairs of a size and a value.
template <class Point>
void read_points(Reader& reader, const char* key, std::vector<Point>& to, double Point::*field) {
  const json* list = reader.find(key);
  if (list == nullptr) return;
  if (!list->is_array()) return reader.wrong(key, "a list");
  for (const json& pair : *list) {
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number();
    if (!is_pair || !std::isfinite(pair[1].get<double>()) || pair[1].get<double>() < 0)
      return reader.wrong(key, "pairs of a size and a number from 0");
    Point point;
    point.bytes = pair[0].get<std::uint64_t>();
    point.*field = pair[1].get<double>();
    to.push_back(point);
  }
}

void read_way(Reader& reader, std::string& problem, const char* key, std::optional<LinkWay>& to) {
  const json* object = reader.find(key);
  if (object == nullptr || object->is_null()) return;
  if (!object->is_object()) return reader.wrong(key, "an object or null");
  Reader inner(*object, problem);
  LinkWay way;
  inner.read("latency_seconds", way.line.latency_seconds);
  inner.read("bytes_per_second", way.line.bytes_per_second);
  inner.read("threads", way.threads);
  read_points(inner, "points", way.points, &domain::TransferPoint::seconds);
  to = std::move(way);
}

void read_beside(Reader& reader, std::string& problem, const char* key, std::vector<domain::LinkBeside>& to) {
  const json* list = reader.find(key);
  if (list == nullptr) return;
  if (!list->is_array()) return reader.wrong(key, "a list");
  for (const json& object : *list) {
    if (!object.is_object()) return reader.wrong(key, "a list of objects");
    Reader inner(object, problem);
    domain::LinkBeside entry;
    inner.read("device", entry.device);
    inner.read("bytes_per_second", entry.bytes_per_second);
    inner.read("other_bytes_per_second", entry.other_per_second);
    to.push_back(std::move(entry));
  }
}

void read_direction(Reader& reader, Direction& to) {
  std::string word;
  reader.read("direction", word);
  if (word == "from") to = Direction::from;
  if (word != "from" && word != "to") reader.wrong("direction", "\"to\" or \"from\"");
}

template <class Made>
domain::Result<Made> checked(Made made, const std::string& problem) {
  if (!problem.empty()) return Error{0, problem};
  if (made.device.name.empty()) return Error{0, "device is missing"};
  made.device = todays(std::move(made.device));
  return made;
}

}  // namespace

std::string_view name_of(Direction direction) { return direction == Direction::to ? "to" : "from"; }

json json_of(const DeviceCalibration& calibration) {
  json out;
  put(out, calibration.device);
  out["launch_seconds"] = calibration.launch_seconds;
  out["box_seconds"] = calibration.box_seconds;
  out["first_use_seconds"] = calibration.first_use_seconds;
  out["cache_bytes"] = calibration.memory.bytes;
  out["cache_bytes_per_second"] = calibration.memory.inside_per_second;
  out["memory_bytes_per_second"] = calibration.memory.beyond_per_second;
  out["bandwidth"] = json::array();
  for (const auto& point : calibration.bandwidth) out["bandwidth"].push_back({point.bytes, point.bytes_per_second});
  out["host_cores"] = calibration.host_cores;
  out["commit"] = calibration.commit;
  out["date"] = calibration.date;
  return out;
}

json json_of(const LinkCalibration& calibration) {
  json out;
  put(out, calibration.device);
  out["host"] = calibration.host;
  out["direction"] = name_of(calibration.direction);
  out["in_place"] = calibration.in_place;
  out["direct"] = json_of(calibration.direct);
  out["pinned"] = json_of(calibration.pinned);
  out["staged"] = json_of(calibration.staged);
  out["beside_links"] = json_of(calibration.beside_links);
  out["beside_kernels"] = json_of(calibration.beside_kernels);
  out["commit"] = calibration.commit;
  out["date"] = calibration.date;
  return out;
}

std::string line_of(const DeviceCalibration& calibration) {
  json object = json_of(calibration);
  object["calibration"] = "device";
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string line_of(const LinkCalibration& calibration) {
  json object = json_of(calibration);
  object["calibration"] = "link";
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

domain::Result<DeviceCalibration> device_calibration_of(const json& object) {
  if (!object.is_object()) return Error{0, "this is no JSON object"};
  DeviceCalibration made;
  std::string problem;
  Reader reader(object, problem);
  read_key(reader, made.device);
  reader.read("launch_seconds", made.launch_seconds);
  reader.read("box_seconds", made.box_seconds);
  reader.read("first_use_seconds", made.first_use_seconds);
  reader.read("cache_bytes", made.memory.bytes);
  reader.read("cache_bytes_per_second", made.memory.inside_per_second);
  reader.read("memory_bytes_per_second", made.memory.beyond_per_second);
  read_points(reader, "bandwidth", made.bandwidth, &domain::BandwidthPoint::bytes_per_second);
  reader.read("host_cores", made.host_cores);
  reader.read("commit", made.commit);
  reader.read("date", made.date);
  return checked(std::move(made), problem);
}

domain::Result<LinkCalibration> link_calibration_of(const json& object) {
  if (!object.is_object()) return Error{0, "this is no JSON object"};
  LinkCalibration made;
  std::string problem;
  Reader reader(object, problem);
  read_key(reader, made.device);
  reader.read("host", made.host);
  read_direction(reader, made.direction);
  reader.read("in_place", made.in_place);
  read_way(reader, problem, "direct", made.direct);
  read_way(reader, problem, "pinned", made.pinned);
  read_way(reader, problem, "staged", made.staged);
  read_beside(reader, problem, "beside_links", made.beside_links);
  read_beside(reader, problem, "beside_kernels", made.beside_kernels);
  reader.read("commit", made.commit);
  reader.read("date", made.date);
  return checked(std::move(made), problem);
}

bool is_calibration(std::string_view line) {
  if (line.find("\"calibration\"") == std::string_view::npos) return false;  // most lines are samples: not parsed twice
  const json object = json::parse(line, nullptr, false);
  return object.is_object() && object.contains("calibration");
}

domain::Result<Calibration> calibration_of(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("calibration"))
    return Error{0, "this is no calibration: " + std::string(line.substr(0, 80))};
  const json& kind = object["calibration"];
  if (kind == "device") {
    auto device = device_calibration_of(object);
    if (!device) return device.error();
    return Calibration(std::move(*device));
  }
  if (kind != "link") return Error{0, "calibration is " + excerpt_of(kind) + "; expected \"device\" or \"link\""};
  auto link = link_calibration_of(object);
  if (!link) return link.error();
  return Calibration(std::move(*link));
}

}  // namespace skmd::profiler
