// SPDX-License-Identifier: Apache-2.0
// A plan and the numbers that it was made from, in one line for the debug log.
#pragma once

#include <string>

#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// Devices by index, seconds in milliseconds. Pure; calls bytes_to and bytes_from for the plan's spans and for the
/// whole launch.
std::string text_of(const PartitionRequest& request, const Plan& plan);

}  // namespace skmd::domain
