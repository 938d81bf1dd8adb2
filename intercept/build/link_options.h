// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "intercept/object/program.h"

namespace skmd::icd {

struct LinkOptions {
  bool library = false;        // -create-library
  std::string vendor_options;  // the mathematical ones
};

/// CL_INVALID_LINKER_OPTIONS for words that clLinkProgram does not have, and for -enable-link-options without
/// -create-library.
Result<LinkOptions> parse_link_options(const std::string& options);

/// What may be said of all units at once: the options that every unit was compiled with, and the highest -cl-std. An
/// optimisation that one unit forbids is forbidden for all.
std::string common_options(const std::vector<Unit>& units);

}  // namespace skmd::icd
