// SPDX-License-Identifier: Apache-2.0
// SKMD_DEVICE_TYPE: as what the virtual device is found. Pure.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <string>
#include <vector>

#include "intercept/backend/port.h"

namespace skmd::icd {

/// `automatic`: a GPU if one real device is, a CPU if all are, else an accelerator. `all`: a CPU and a GPU beside that.
enum class DeviceTypeChoice { automatic, cpu, gpu, all };

/// "auto" or "" (not set), "cpu", "gpu", "all"; CL_PLATFORM_NOT_FOUND_KHR for anything else.
Result<DeviceTypeChoice> parse_device_type(const std::string& text);
/// The word for it in settings.
const char* device_type_word(DeviceTypeChoice choice);

/// CL_DEVICE_TYPE: what clGetDeviceIDs and clCreateContextFromType are asked for has to share a bit with it.
cl_device_type reported_type(DeviceTypeChoice choice, const std::vector<std::shared_ptr<Device>>& devices);

}  // namespace skmd::icd
