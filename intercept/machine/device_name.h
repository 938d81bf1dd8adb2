// SPDX-License-Identifier: Apache-2.0
// Names that applications key their caches and tuning files by.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// Like "SKMD (2x NVIDIA H200 + AMD EPYC 9654) 3f0a": the same for the same composition, another for another one,
/// short, of characters that file names take.
std::string device_name(const std::vector<std::shared_ptr<Device>>& devices);

/// Eight hex digits over the real drivers' versions.
std::string drivers_hash(const std::vector<std::shared_ptr<Device>>& devices);

}  // namespace skmd::icd
