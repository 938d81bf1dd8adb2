// SPDX-License-Identifier: Apache-2.0
#include "profiler/explain_work.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "profiler/profiler_constants.h"

namespace skmd::profiler {

namespace {

std::string number(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

const DeviceWork* longest(const std::vector<DeviceWork>& works, double DeviceWork::*seconds) {
  const auto found = std::max_element(
      works.begin(), works.end(), [&](const DeviceWork& a, const DeviceWork& b) { return a.*seconds < b.*seconds; });
  return found == works.end() || !((*found).*seconds > 0) ? nullptr : &*found;
}

/// "A and B", "A, B and C".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

/// Of links or of a device, in brackets behind another.
std::string beside(const DeviceWork* device) {
  return device == nullptr ? "no device's time is known"
                           : "the longest device, " + device->device + ", took " + duration(device->seconds);
}

}  // namespace

std::string duration(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 3> kUnits{{{1.0, " s"}, {1e-3, " ms"}, {1e-6, " us"}}};
  for (const auto& [unit, name] : kUnits)
    if (seconds >= unit || unit == kUnits.back().first) return number(seconds / unit, "%.3g") + name;
  return "";
}

std::string byte_count(std::uint64_t count) {
  constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(count);
  std::size_t unit = 0;
  for (; value >= 1024.0 && unit + 1 < kUnits.size(); ++unit) value /= 1024.0;
  return number(value, unit == 0 ? "%.0f " : "%.1f ") + kUnits[unit];
}

std::string ran_sentence(const DeviceWork& work, std::uint64_t all_groups) {
  const double percent = 100.0 * static_cast<double>(work.groups) / static_cast<double>(all_groups);
  std::string text = work.device + " ran " + std::to_string(work.groups) + " work-group" +
                     (work.groups == 1 ? "" : "s") + " (" + number(percent, "%.1f") + "%)";
  if (work.groups == 0) return text + ".";
  if (!(work.seconds > 0)) return text + "; how long they took is not known.";
  text += ", in " + duration(work.seconds) + " by its clock";
  if (!(work.predicted_seconds > 0)) return text + "; nothing was predicted of it.";
  return text + "; " + duration(work.predicted_seconds) + " were predicted where it took " +
         duration(work.compared_seconds) + ".";
}

std::string bound_sentence(const std::vector<DeviceWork>& works) {
  const DeviceWork* device = longest(works, &DeviceWork::seconds);
  const DeviceWork* link = longest(works, &DeviceWork::link_seconds);
  if (device == nullptr && link == nullptr) return "What bounded it is not known: no times were taken.";
  if (link == nullptr || (device != nullptr && device->seconds >= link->link_seconds))
    return device->device + " bounded it: its work-groups took " + duration(device->seconds) +
           (link == nullptr ? ", and no transfer was timed."
                            : ", transfers over the longest link " + duration(link->link_seconds) + ".");
  std::vector<std::string> busy;
  for (const DeviceWork& work : works)
    if (work.link_seconds >= tuning::kTogether * link->link_seconds) busy.push_back(work.device);
  if (busy.size() == 1)
    return "The link of " + link->device + " bounded it: " + byte_count(link->link_bytes) + " took " +
           duration(link->link_seconds) + "; " + beside(device) + ".";
  return "Host memory bounded it, or the links of " + listed(busy) +
         ", which share it: they were busy for about as long, the longest for " + duration(link->link_seconds) + "; " +
         beside(device) + ".";
}

std::string balance_sentence(const std::vector<DeviceWork>& works) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const DeviceWork& work : works) {
    if (work.groups == 0) continue;
    if (!(work.seconds > 0)) return "";
    sum += work.seconds;
    ++count;
  }
  if (count < 2) return "";
  const DeviceWork* slowest = longest(works, &DeviceWork::seconds);
  return slowest->device + " took longest, " + number(slowest->seconds * static_cast<double>(count) / sum, "%.2f") +
         " times the mean of the devices that took part (1: all end together).";
}

std::string_view mode_sentence(std::string_view mode) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kModes{{
      {"auto",
       "auto: so that all parts, with what has to be moved for them, are predicted to end together, where that "
       "wins over one device."},
      {"equal", "equal: in equal parts, without regard to what they take."},
      {"fixed", "fixed: in the parts that SKMD_PARTITION gives."},
      {"linear", "linear: in proportion to the devices' speeds; what has to be moved does not count."},
      {"paper", "paper: by the founding paper's decision tree, with its costs."},
      {"dynamic", "dynamic: in chunks, the next for the device that is free first."},
      {"single", "single: not at all."},
  }};
  for (const auto& [name, sentence] : kModes)
    if (name == mode) return sentence;
  return "";
}

}  // namespace skmd::profiler
