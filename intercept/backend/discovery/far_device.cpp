// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/far_device.h"

namespace skmd::icd {
namespace {

constexpr const char* kVirtualName = "SKMD (";  // device_name() of intercept/machine/device_name.h begins so
constexpr const char* kBetweenModels = " + ";   // there, too

/// "8x NVIDIA H100": several devices of one model.
bool begins_with_count(const std::string& list) {
  const auto digits = list.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string::npos && list.compare(digits, 2, "x ") == 0;
}

}  // namespace

bool is_virtual(const std::string& name) { return name.starts_with(kVirtualName); }

bool is_of_one_device(const std::string& name) {
  const auto end = name.rfind(')');
  if (!is_virtual(name) || end == std::string::npos) return false;
  const std::size_t begin = std::string(kVirtualName).size();
  const std::string list = name.substr(begin, end - begin);
  return !list.empty() && list.find(kBetweenModels) == std::string::npos && !begins_with_count(list);
}

void describe_far(const FarAnswers& answers, const std::string& host, DeviceDescription& description) {
  description.backend = "remote";
  description.host = host;
  description.discrete = true;
  description.vendor = answers.vendor;
  // A driver's own bug there is met from here, too; the engine takes no foreign binaries.
  description.overlapping_views = answers.vendor != "NVIDIA Corporation";
  description.takes_ptx = false;
  description.rounds_unlike_itself = is_virtual(answers.name) && !is_of_one_device(answers.name);
  description.arithmetic =
      "remote|" + answers.driver + "|" + answers.version + "|" + answers.vendor + "|" + answers.name;
}

}  // namespace skmd::icd
