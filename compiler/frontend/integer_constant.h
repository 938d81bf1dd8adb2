// SPDX-License-Identifier: Apache-2.0
// Constant expressions of C, as far as they are made of literals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skmd::compiler {

/// The value of an expression of integer literals, operators and parentheses, one token each; nothing if it has
/// anything else, does not parse, has no defined value, or leaves the range of int on the way, where types would
/// matter.
std::optional<std::int32_t> integer_constant(const std::vector<std::string>& tokens);

}  // namespace skmd::compiler
