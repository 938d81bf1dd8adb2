// SPDX-License-Identifier: Apache-2.0
// What is known of a device in another machine from what its driver answers there. Pure.
#pragma once

#include <string>

#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// What a device in another machine answers through the driver that reaches it.
struct FarAnswers {
  std::string name;     // CL_DEVICE_NAME
  std::string vendor;   // CL_DEVICE_VENDOR
  std::string version;  // CL_DEVICE_VERSION
  std::string driver;   // CL_DRIVER_VERSION
};

/// The device is another SKMD's: a virtual one.
bool is_virtual(const std::string& name);

/// The name of a virtual device says that it is made of one real device. Of several, the name does not tell whether
/// they round alike: models are cut off there.
bool is_of_one_device(const std::string& name);

/// Fills in what a device of `host` is, however it is reached: memory of its own, never a PoCL like the local one.
void describe_far(const FarAnswers& answers, const std::string& host, DeviceDescription& description);

}  // namespace skmd::icd
