// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/code_form.h"

#include "cpu-driver/generator_version.h"

namespace skmd::icd {

std::string code_form(const std::string& isa) { return "span-" + isa + "-g" + std::to_string(cpu::kGeneratorVersion); }

}  // namespace skmd::icd
