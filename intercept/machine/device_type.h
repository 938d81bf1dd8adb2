// SPDX-License-Identifier: Apache-2.0
// SKMD_DEVICE_TYPE: the type that the virtual device reports. Pure.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// `automatic`: a GPU if one real device is, a CPU if all are, else an accelerator. `all`: a CPU and a GPU beside that.
enum class DeviceTypeChoice { automatic, cpu, gpu, all };

/// "auto" or "" (not set), "cpu", "gpu", "all"; CL_PLATFORM_NOT_FOUND_KHR for anything else.
Result<DeviceTypeChoice> parse_device_type(const std::string& text);
/// The setting's text for `choice`.
const char* device_type_word(DeviceTypeChoice choice);

/// CL_DEVICE_TYPE: what clGetDeviceIDs and clCreateContextFromType are asked for has to share a bit with it.
cl_device_type reported_type(DeviceTypeChoice choice, const std::vector<std::shared_ptr<Device>>& devices);

}  // namespace skmd::icd
