// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "intercept/backend/port/port.h"
#include "partitioner/model/profile_sample.h"

namespace skmd::icd {

/// The key by which the profile database knows the device. The CPU driver is platform "SKMD", with the processor's own
/// name and SKMD's version, and not the vendor's device that answers its queries: on one processor they would be one
/// device otherwise, and which PoCL is installed would make it another one.
domain::DeviceKey profile_key(const Device& device);

}  // namespace skmd::icd
