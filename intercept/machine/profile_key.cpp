// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/profile_key.h"

#include "intercept/machine/device_query.h"

namespace skmd::icd {

domain::DeviceKey profile_key(const Device& device) {
  const DeviceDescription& description = device.description();
  const std::uint32_t units = query<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(0);
  if (description.backend == "cpu-driver") return {"SKMD", description.processor, SKMD_VERSION, units};
  return {description.platform, description.name, query_text(device, CL_DRIVER_VERSION), units};
}

}  // namespace skmd::icd
