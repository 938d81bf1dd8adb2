// SPDX-License-Identifier: Apache-2.0
// The message for a failed check of a kernel.
#pragma once

#include <string>
#include <string_view>

#include "cpu-driver/span_code.h"

namespace skmd::cpu {

/// "kernel sum, line 7: reads 4 bytes at offset 400 of x, which has 400 bytes". `sites`: of the kernel (sites_symbol).
/// Precondition: `report` has counted something.
std::string failed_check(std::string_view kernel, std::string_view sites, const CheckReport& report);

}  // namespace skmd::cpu
