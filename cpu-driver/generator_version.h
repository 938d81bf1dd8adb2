// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skmd::cpu {

/// Version of the generated code's speed: raised when a change in codegen/ makes kernels clearly faster or slower, so
/// that older measurements are not used for the new code. A change of the format is one of kSpanVersion.
inline constexpr std::uint32_t kGeneratorVersion = 3;

}  // namespace skmd::cpu
