// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skmd::compiler {

struct MergeKernel {
  std::string obstacle;              // why there is no merge function; "": there is one
  std::vector<std::uint32_t> loads;  // arguments that it loads from: their bytes must not be written meanwhile
};

}  // namespace skmd::compiler
