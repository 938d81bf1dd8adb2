// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "intercept/api/entry.h"
#include "intercept/api/platform.h"

namespace skmd::icd::api {

/// A device list where NULL means all devices: count and list agree, every device is ours.
inline Status check_device_list(cl_uint count, const cl_device_id* devices) {
  if ((count == 0) != (devices == nullptr))
    return Error{CL_INVALID_VALUE,
                 "num_devices " + std::to_string(count) + (devices != nullptr ? " with" : " without") + " a list"};
  for (cl_uint i = 0; i < count; ++i) {
    if (find<VirtualDevice>(devices[i]) == nullptr)
      return Error{CL_INVALID_DEVICE, "device " + std::to_string(i) + " of the list is not ours"};
  }
  return {};
}

}  // namespace skmd::icd::api
