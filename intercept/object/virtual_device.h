// SPDX-License-Identifier: Apache-2.0
// cl_device_id: the virtual device, and parts of it (clCreateSubDevices).
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "intercept/machine/device_info.h"
#include "intercept/machine/machine.h"
#include "intercept/object/handle.h"
#include "partitioner/base/result.h"

namespace skmd::icd {

/// Immutable.
class VirtualDevice : public Object {
 public:
  /// All of the machine; lives as long as the process.
  VirtualDevice(Machine& machine, const DeviceInfo& info);
  /// `count` compute units of `parent` from its unit `first` on, made by `partition` (CL_DEVICE_PARTITION_TYPE).
  /// Precondition: parent.partitionable(), and it has those units.
  VirtualDevice(Ref<VirtualDevice> parent, std::uint32_t first, std::uint32_t count,
                std::vector<cl_device_partition_property> partition);

  [[nodiscard]] Machine& machine() const { return machine_; }
  /// Of the whole device: the functions below tell what differs for a part.
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] const Ref<VirtualDevice>& parent() const { return parent_; }  ///< null: it is the whole
  [[nodiscard]] std::uint32_t units() const { return units_; }                ///< CL_DEVICE_MAX_COMPUTE_UNITS
  [[nodiscard]] const std::vector<cl_device_partition_property>& partition() const { return partition_; }
  /// It can be cut into two parts at least: its units are threads of our own.
  [[nodiscard]] bool partitionable() const;
  /// What runs the kernels of a part; null: all of the machine does.
  [[nodiscard]] const std::shared_ptr<Device>& port() const { return port_; }

 protected:
  ~VirtualDevice() override = default;

 private:
  Machine& machine_;
  const DeviceInfo& info_;
  const Ref<VirtualDevice> parent_;
  const std::uint32_t first_ = 0;  // of the whole's units
  const std::uint32_t units_;
  const std::vector<cl_device_partition_property> partition_;
  const std::shared_ptr<Device> port_;
};

}  // namespace skmd::icd
