// SPDX-License-Identifier: Apache-2.0
// Lists of devices, as calls take them.
#pragma once

#include <algorithm>
#include <vector>

#include "intercept/api/entry.h"
#include "intercept/api/platform.h"

namespace skmd::icd::api {

/// Each once, in their order. CL_INVALID_DEVICE: one is not ours.
inline Result<std::vector<Ref<VirtualDevice>>> read_devices(cl_uint count, const cl_device_id* devices) {
  std::vector<Ref<VirtualDevice>> list;
  for (cl_uint i = 0; i < count; ++i) {
    auto device = borrow<VirtualDevice>(devices[i]);
    if (!device) return Error{CL_INVALID_DEVICE, "device " + std::to_string(i) + " of the list is not ours"};
    if (std::find(list.begin(), list.end(), *device) == list.end()) list.push_back(std::move(*device));
  }
  return list;
}

/// The same where NULL means all of the context's: count and list agree, every device belongs to `context`.
inline Result<std::vector<Ref<VirtualDevice>>> read_devices_of(const Context& context, cl_uint count,
                                                               const cl_device_id* devices) {
  if ((count == 0) != (devices == nullptr))
    return Error{CL_INVALID_VALUE,
                 "num_devices " + std::to_string(count) + (devices != nullptr ? " with" : " without") + " a list"};
  if (devices == nullptr) return context.devices();
  auto list = read_devices(count, devices);
  if (!list) return list;
  for (const Ref<VirtualDevice>& device : *list)
    if (!context.has(*device)) return Error{CL_INVALID_DEVICE, "a device of the list does not belong to the context"};
  return list;
}

/// The handles, for queries.
inline std::vector<cl_device_id> handles_of(const std::vector<Ref<VirtualDevice>>& devices) {
  std::vector<cl_device_id> handles;
  handles.reserve(devices.size());
  for (const Ref<VirtualDevice>& device : devices) handles.push_back(handle_of(device));
  return handles;
}

}  // namespace skmd::icd::api
