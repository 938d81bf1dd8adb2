// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skmd::icd {

/// KernelKey::form of the CPU driver's code for an instruction set, as in "span-x86-64-v3-g4".
std::string code_form(const std::string& isa);

}  // namespace skmd::icd
