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

/// The options of one text that units are joined into: the highest -cl-std, what every unit may do, and what any of
/// them must do. An optimisation that one unit forbids is forbidden for all. An error says about which option the units
/// disagree so that no text can mean what they mean.
Result<std::string> joined_options(const std::vector<Unit>& units);

}  // namespace skmd::icd
