// SPDX-License-Identifier: Apache-2.0
// A plan and what it rests on, in one line for the debug log.
#pragma once

#include <string>

#include "partitioner/partition.h"

namespace skmd::domain {

/// Devices by index, seconds in milliseconds. Pure; asks for the bytes of the plan's spans and of the whole launch.
std::string text_of(const PartitionRequest& request, const Plan& plan);

}  // namespace skmd::domain
