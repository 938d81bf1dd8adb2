// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/device_type.h"

#include <CL/cl_ext.h>

#include <algorithm>

namespace skmd::icd {
namespace {

constexpr DeviceTypeChoice kChoices[] = {DeviceTypeChoice::automatic, DeviceTypeChoice::cpu, DeviceTypeChoice::gpu,
                                         DeviceTypeChoice::all};

cl_device_type natural_type(const std::vector<std::shared_ptr<Device>>& devices) {
  const auto is = [](DeviceKind kind) {
    return [kind](const auto& device) { return device->description().kind == kind; };
  };
  if (std::any_of(devices.begin(), devices.end(), is(DeviceKind::gpu))) return CL_DEVICE_TYPE_GPU;
  if (std::all_of(devices.begin(), devices.end(), is(DeviceKind::cpu))) return CL_DEVICE_TYPE_CPU;
  return CL_DEVICE_TYPE_ACCELERATOR;
}

}  // namespace

const char* device_type_word(DeviceTypeChoice choice) {
  switch (choice) {
    case DeviceTypeChoice::cpu:
      return "cpu";
    case DeviceTypeChoice::gpu:
      return "gpu";
    case DeviceTypeChoice::all:
      return "all";
    case DeviceTypeChoice::automatic:
      break;
  }
  return "auto";
}

Result<DeviceTypeChoice> parse_device_type(const std::string& text) {
  if (text.empty()) return DeviceTypeChoice::automatic;
  for (const DeviceTypeChoice choice : kChoices)
    if (text == device_type_word(choice)) return choice;
  return domain::Error{CL_PLATFORM_NOT_FOUND_KHR, "SKMD_DEVICE_TYPE=" + text + ": expected auto, cpu, gpu or all"};
}

cl_device_type reported_type(DeviceTypeChoice choice, const std::vector<std::shared_ptr<Device>>& devices) {
  switch (choice) {
    case DeviceTypeChoice::cpu:
      return CL_DEVICE_TYPE_CPU;
    case DeviceTypeChoice::gpu:
      return CL_DEVICE_TYPE_GPU;
    case DeviceTypeChoice::all:
      return natural_type(devices) | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU;
    case DeviceTypeChoice::automatic:
      break;
  }
  return natural_type(devices);
}

}  // namespace skmd::icd
