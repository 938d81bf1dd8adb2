// SPDX-License-Identifier: Apache-2.0
// The versioned binary form of traits, for the pipe between processes and for files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/traits/traits.h"

namespace skmd::domain {

/// Of the format.
inline constexpr std::uint32_t kTraitsVersion = 4;

std::string encode(const std::vector<KernelTraits>& kernels);

/// Checks the preconditions of evaluation: operands before users, widths that fit, enums and indices in range. An error
/// names the rule that is broken.
Status check_traits(const KernelTraits& kernel);

/// An error for bytes that encode() of this version did not write: wrong version, truncation, operand order, enums or
/// ids out of range. Never reads outside `bytes`.
Result<std::vector<KernelTraits>> decode_traits(std::span<const std::byte> bytes);

}  // namespace skmd::domain
