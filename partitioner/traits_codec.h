// SPDX-License-Identifier: Apache-2.0
// Traits travel between processes and live on disk as versioned binary; encoder and decoder stand side by side.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "partitioner/result.h"
#include "partitioner/traits.h"

namespace skmd::domain {

inline constexpr std::uint32_t kTraitsVersion = 3;

std::string encode(const std::vector<KernelTraits>& kernels);

/// The rules that evaluation relies on: operands before users, widths that fit, enums and indices in range.
Status check_traits(const KernelTraits& kernel);

/// Refuses anything that encode() of this version did not write: wrong version, truncation, operand order, enum out
/// of range, ids out of range. Never reads outside `bytes`.
Result<std::vector<KernelTraits>> decode_traits(std::span<const std::byte> bytes);

}  // namespace skmd::domain
