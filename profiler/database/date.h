// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skmd::profiler {

/// Today in UTC, as 2026-01-31.
std::string today();

}  // namespace skmd::profiler
