// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/code_form.h"

#include <cstdint>

#include "cpu-driver/generator_version.h"

namespace skmd::icd {

std::string code_form(const std::string& isa) {
  const std::uint32_t version =
      isa.starts_with("x86-64-v4") ? cpu::kGeneratorVersion : cpu::kGeneratorVersionBelowAvx512;
  return "span-" + isa + "-g" + std::to_string(version);
}

}  // namespace skmd::icd
