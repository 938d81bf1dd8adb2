// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/device_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace skmd::icd::control {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace

std::string selector_of(const DeviceDescription& device) {
  if (device.backend == "cpu-driver") return "cpu";
  const std::string here = device.platform + ":" + device.name;
  return device.host.empty() ? here : device.host + "/" + here;
}

NamedDevice find_device(const std::vector<DeviceDescription>& devices, std::string_view word) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (!word.empty() && end == word.data() + word.size()) {
    if (error == std::errc() && number < devices.size()) return {number, {}, false};
    return {std::nullopt,
            "there is no device " + std::string(word) + ": they are numbered from 0 to " +
                std::to_string(devices.size() - 1),
            false};
  }
  std::vector<std::uint32_t> whole;
  std::vector<std::uint32_t> part;
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    const std::string wanted = lower(word);
    const std::string name = lower(devices[i].name);
    const std::string selector = lower(selector_of(devices[i]));
    if (name == wanted || selector == wanted) whole.push_back(i);
    if (!wanted.empty() && (name.find(wanted) != std::string::npos || selector.find(wanted) != std::string::npos))
      part.push_back(i);
  }
  const std::vector<std::uint32_t>& found = whole.empty() ? part : whole;
  if (found.size() == 1) return {found.front(), {}, false};
  if (found.empty()) return {std::nullopt, "no device has this name", true};
  std::string numbers;
  for (const std::uint32_t index : found) numbers += (numbers.empty() ? "" : ", ") + std::to_string(index);
  return {std::nullopt, "\"" + std::string(word) + "\" fits the devices " + numbers + ": name one by its number",
          false};
}

}  // namespace skmd::icd::control
