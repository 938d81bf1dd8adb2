// SPDX-License-Identifier: Apache-2.0
// The host's processors as a device of the CPU driver answers for them where no other driver does.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <vector>

#include "cpu-driver/runtime/host_facts.h"
#include "partitioner/result.h"

namespace skmd::icd {

/// The answer of clGetDeviceInfo, as it lies in memory. CL_INVALID_VALUE: nobody asks a device of the port that. Pure.
domain::Result<std::vector<std::byte>> host_answer(const cpu::HostFacts& facts, cl_device_info name);

/// The formats of images that span code reads and writes, whatever the image's type: those that OpenCL 3.0 demands.
std::vector<cl_image_format> host_image_formats();

}  // namespace skmd::icd
