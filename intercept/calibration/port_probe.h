// SPDX-License-Identifier: Apache-2.0
// Calibration's probe of a device behind the port.
#pragma once

#include <memory>
#include <string>

#include "intercept/backend/port/port.h"
#include "intercept/calibration/probe.h"

namespace skmd::icd::calibration {

/// `salt`: makes fresh kernels ones that no process had before.
std::unique_ptr<DeviceProbe> probe_of(std::shared_ptr<Device> device, std::string salt);

/// The largest power of two up to `wanted` that is a small part of the device's memory and can be allocated.
std::uint64_t memory_for(const Device& device, std::uint64_t wanted);

}  // namespace skmd::icd::calibration
