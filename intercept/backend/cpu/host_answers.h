// SPDX-License-Identifier: Apache-2.0
// The host's processors as a device of the CPU driver answers for them where no other driver does.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <vector>

#include "cpu-driver/runtime/host_facts.h"
#include "partitioner/base/result.h"

namespace skmd::icd {

/// The bytes that clGetDeviceInfo() returns for `name`. CL_INVALID_VALUE: a query that is not made of a device of the
/// port. Pure.
domain::Result<std::vector<std::byte>> host_answer(const cpu::HostFacts& facts, cl_device_info name);

/// The image formats that span code reads and writes, the same for every image type: those that OpenCL 3.0 requires.
std::vector<cl_image_format> host_image_formats();

}  // namespace skmd::icd
