// SPDX-License-Identifier: Apache-2.0
// Index expressions in OpenCL C's notation, for people.
#pragma once

#include <string>

#include "partitioner/traits/traits.h"

namespace skmd::compiler {

/// "anywhere" for kNoNode. Conversions are C casts; `iK` is the iteration of loop K, `?` an unknown value.
std::string expression_text(const domain::KernelTraits& traits, domain::NodeId node);

}  // namespace skmd::compiler
