// SPDX-License-Identifier: Apache-2.0
// What the report of a checked kernel says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cpu-driver/span_code.h"

namespace skmd::cpu {

/// "kernel sum, line 7: reads 4 bytes at offset 400 of x, which has 400 bytes". `sites`: of the kernel (sites_symbol).
/// Precondition: `report` has counted something.
std::string failed_check(std::string_view kernel, std::string_view sites, const CheckReport& report);

/// Where the first trap was, and of which kind.
struct TrapSite {
  std::uint32_t line = 0;  // 0: it is not known
  std::string file;        // where headers or #line name one
  TrapKind kind = TrapKind::out_of_bounds;
};

/// As for failed_check().
TrapSite trap_site(std::string_view sites, const CheckReport& report);

}  // namespace skmd::cpu
