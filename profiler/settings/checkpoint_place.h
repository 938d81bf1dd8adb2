// SPDX-License-Identifier: Apache-2.0
// What SKMD_CHECKPOINT says. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "partitioner/base/result.h"

namespace skmd::settings {

/// Where running launches are kept, and how often.
struct CheckpointPlace {
  std::string folder;
  std::chrono::duration<double> period{};
};

/// Of FOLDER:SECONDS, a number from 0.01 to 31536000; none: nothing is kept ("").
domain::Result<std::optional<CheckpointPlace>> parse_checkpoint(const std::string& value);

}  // namespace skmd::settings
