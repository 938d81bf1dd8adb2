// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/virtual_device.h"

#include <utility>

namespace skmd::icd {

VirtualDevice::VirtualDevice(Machine& machine, const DeviceInfo& info)
    : Object(Kind::device), machine_(machine), info_(info), units_(info.get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS)) {}

VirtualDevice::VirtualDevice(Ref<VirtualDevice> parent, std::uint32_t first, std::uint32_t count,
                             std::vector<cl_device_partition_property> partition)
    : Object(Kind::device),
      machine_(parent->machine_),
      info_(parent->info_),
      parent_(std::move(parent)),
      first_(parent_->first_ + first),
      units_(count),
      partition_(std::move(partition)),
      port_(machine_.devices[machine_.anchor]->part(first_, units_)) {}

bool VirtualDevice::partitionable() const { return info_.limits().sub_devices && units_ > 1; }

}  // namespace skmd::icd
