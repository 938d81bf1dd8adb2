// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skmd::cpu {

/// Of the code that the generator makes, as far as its speed goes: raised when kernels become clearly faster or slower
/// by a change in codegen/, so that what was measured before is not taken for the new code's. A change of the format is
/// one of kSpanVersion.
inline constexpr std::uint32_t kGeneratorVersion = 3;

}  // namespace skmd::cpu
