// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skmd::cpu {

/// Versions of the generated code's speed, with AVX-512 and without: raised when a change in codegen/ makes kernels
/// clearly faster or slower, so that older measurements are not used for the new code. A change of the format is one of
/// kSpanVersion.
inline constexpr std::uint32_t kGeneratorVersion = 3;
inline constexpr std::uint32_t kGeneratorVersionBelowAvx512 = 4;

}  // namespace skmd::cpu
