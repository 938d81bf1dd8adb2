// SPDX-License-Identifier: Apache-2.0
// What is expected of a device before anything was measured on it.
#pragma once

#include "intercept/backend/port/port.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// Strength, units and the cost of first uses; nothing is known of rates.
domain::DeviceModel expected_of(const Device& device);

}  // namespace skmd::icd
