// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/exchange.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "profiler/database/calibration_text.h"
#include "profiler/database/output_file.h"
#include "profiler/database/sample_text.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::Error;
using domain::Result;
using domain::Status;
using nlohmann::json;

constexpr int kFormat = 1;

void fill_in(Exchange& exchange) {
  std::set<std::string> devices, tags, drivers;
  for (const auto& sample : exchange.samples) {
    devices.insert(sample.device.name);
    drivers.insert(sample.device.driver);
    tags.insert(sample.tag);
  }
  for (const auto& calibration : exchange.calibrations.devices) {
    devices.insert(calibration.device.name);
    drivers.insert(calibration.device.driver);
  }
  ExchangeHead& head = exchange.head;
  if (head.devices.empty()) head.devices.assign(devices.begin(), devices.end());
  if (head.tags.empty()) head.tags.assign(tags.begin(), tags.end());
  if (!head.driver.empty()) return;
  for (const std::string& driver : drivers) head.driver += (head.driver.empty() ? "" : ", ") + driver;
}

std::string text_of(const ExchangeHead& head) {
  const json line{{"skmd_profile", kFormat}, {"machine", head.machine}, {"processor", head.processor},
                  {"devices", head.devices}, {"driver", head.driver},   {"commit", head.commit},
                  {"command", head.command}, {"date", head.date},       {"tags", head.tags}};
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ExchangeHead> head_of(const std::string& line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("skmd_profile"))
    return Error{0, "line 1: this is no file of skmd-profile export, which begins with {\"skmd_profile\":1"};
  if (object["skmd_profile"] != kFormat)
    return Error{0, "line 1: skmd_profile is " + excerpt_of(object["skmd_profile"]) + ": this SKMD reads 1"};
  ExchangeHead head;
  const auto text = [&](const char* key, std::string& to) {
    if (object.contains(key) && object[key].is_string()) to = object[key].get<std::string>();
  };
  const auto list = [&](const char* key, std::vector<std::string>& to) {
    if (!object.contains(key) || !object[key].is_array()) return;
    for (const json& entry : object[key])
      if (entry.is_string()) to.push_back(entry.get<std::string>());
  };
  text("machine", head.machine);
  text("processor", head.processor);
  text("driver", head.driver);
  text("commit", head.commit);
  text("command", head.command);
  text("date", head.date);
  list("devices", head.devices);
  list("tags", head.tags);
  return head;
}

Status add_calibration(const std::string& line, Calibrations& to) {
  auto one = calibration_of(line);
  if (!one) return one.error();
  if (auto* const device = std::get_if<domain::DeviceCalibration>(&*one))
    to.devices.push_back(std::move(*device));
  else
    to.links.push_back(std::move(std::get<domain::LinkCalibration>(*one)));
  return {};
}

}  // namespace

Status write_exchange(const fs::path& file, Exchange exchange) {
  fill_in(exchange);
  std::vector<std::string> lines;
  for (const auto& sample : exchange.samples) lines.push_back(line_of(sample));
  for (const auto& device : exchange.calibrations.devices) lines.push_back(line_of(device));
  for (const auto& link : exchange.calibrations.links) lines.push_back(line_of(link));
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::string text = text_of(exchange.head) + '\n';
  for (const std::string& line : lines) text += line + '\n';
  return write_output(file, text);
}

Result<Exchange> read_exchange(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return Error{-1, file.string() + " is not there, or is no file"};
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line)) return Error{-1, file.string() + " cannot be read, or is empty"};
  auto head = head_of(line);
  if (!head) return Error{-1, file.string() + ", " + head.error().reason};
  Exchange exchange{std::move(*head), {}, {}};
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    if (is_calibration(line)) {
      if (Status done = add_calibration(line, exchange.calibrations); !done)
        return Error{-1, file.string() + ", line " + std::to_string(number) + ": " + done.error().reason};
      continue;
    }
    auto sample = sample_of(line);
    if (!sample) return Error{-1, file.string() + ", line " + std::to_string(number) + ": " + sample.error().reason};
    exchange.samples.push_back(std::move(*sample));
  }
  return exchange;
}

}  // namespace skmd::profiler
