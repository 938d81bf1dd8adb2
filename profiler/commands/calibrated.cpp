// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/calibrated.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "profiler/database/calibration_text.h"

namespace skmd::profiler {
namespace {

using nlohmann::json;

/// With the unit that leaves one to three digits before the point.
std::string scaled(double value, const std::array<const char*, 4>& units, double step) {
  std::size_t i = 0;
  for (; i + 1 < units.size() && value >= step; ++i) value /= step;
  char text[48];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f %s" : "%.3g %s", value, units[i]);
  return text;
}

std::string seconds_text(double seconds) { return scaled(seconds * 1e9, {"ns", "us", "ms", "s"}, 1000); }
std::string rate_text(double per_second) { return scaled(per_second * 1e-6, {"MB/s", "GB/s", "TB/s", "PB/s"}, 1000); }
std::string bytes_text(double bytes) { return scaled(bytes / 1024, {"KiB", "MiB", "GiB", "TiB"}, 1024); }

std::string way_text(const char* name, const std::optional<domain::LinkWay>& way) {
  if (!way) return "";
  const std::string threads = way->threads > 1 ? " by " + std::to_string(way->threads) + " threads" : "";
  return std::string(", ") + name + threads + " " + rate_text(way->line.bytes_per_second) + " after " +
         seconds_text(way->line.latency_seconds);
}

std::string text_of(const domain::DeviceCalibration& device) {
  const domain::CacheStep& memory = device.memory;
  std::string text = "  launch " + seconds_text(device.launch_seconds) + ", one more box " +
                     seconds_text(device.box_seconds) + ", first use " + seconds_text(device.first_use_seconds) + "\n";
  text += "  reads " + rate_text(memory.beyond_per_second);
  text += memory.bytes > 0 ? " of its memory, " + rate_text(memory.inside_per_second) + " in its cache of " +
                                 bytes_text(memory.bytes) + "\n"
                           : " at every size that was tried\n";
  if (device.host_cores) text += "  computes on the host's cores\n";
  return text;
}

std::string text_of(const domain::LinkCalibration& link) {
  std::string text = std::string("    ") + (link.direction == domain::Direction::to ? "to" : "from") + " it";
  if (link.in_place) text += " (only copies: it uses host memory)";
  text += ": " + (way_text("direct", link.direct) + way_text("page-locked", link.pinned) +
                  way_text("staged", link.staged) + ", ")
                     .substr(2);
  text.resize(text.size() - 2);
  text += "\n";
  for (const auto& other : link.beside_links)
    text += "      while " + other.device + "'s link is busy, too: " + rate_text(other.bytes_per_second) +
            ", that one " + rate_text(other.other_per_second) + "\n";
  for (const auto& other : link.beside_kernels)
    text += "      while " + other.device + " reads: " + rate_text(other.bytes_per_second) + ", that one " +
            rate_text(other.other_per_second) + "\n";
  return text;
}

}  // namespace

domain::Result<BoundsOf> stored_bounds(const ProfileDatabase& database) {
  const auto calibrations = database.calibrations();
  if (!calibrations) return calibrations.error();
  std::map<domain::DeviceKey, domain::Bounds> bounds;
  for (const auto& device : calibrations->devices) bounds[device.device] = domain::bounds_of(device);
  return BoundsOf([bounds = std::move(bounds)](const domain::DeviceKey& key) {
    const auto found = bounds.find(key);
    return found == bounds.end() ? domain::Bounds{} : found->second;
  });
}

json device_document(const domain::DeviceCalibration& device) {
  json calibration = json_of(device);
  for (const char* key : {"platform", "device", "driver", "units"}) calibration.erase(key);
  return {{"name", device.device.name},
          {"platform", device.device.platform},
          {"driver", device.device.driver},
          {"units", device.device.units},
          {"calibration", std::move(calibration)}};
}

json link_document(const domain::LinkCalibration& link) { return json_of(link); }

std::string text_of(const Calibrations& calibrations) {
  std::set<domain::DeviceKey> keys;
  for (const auto& device : calibrations.devices) keys.insert(device.device);
  for (const auto& link : calibrations.links) keys.insert(link.device);
  std::string text;
  for (const domain::DeviceKey& key : keys) {
    text += key.name + " (" + key.platform + ", driver " + key.driver + ")\n";
    for (const auto& device : calibrations.devices)
      if (device.device == key) text += text_of(device);
    std::string host;
    for (const auto& link : calibrations.links) {
      if (link.device != key) continue;
      if (link.host != host) text += "  link with " + link.host + "\n";
      host = link.host;
      text += text_of(link);
    }
  }
  return text;
}

std::string processor_here() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "";
}

std::string host_here() {
  const std::string processor = processor_here();
  return (processor.empty() ? "processor" : processor) + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) +
         " threads";
}

}  // namespace skmd::profiler
