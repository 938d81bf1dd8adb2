// SPDX-License-Identifier: Apache-2.0
// SPIR's address spaces, as Clang numbers them in LLVM IR.
#pragma once

namespace skmd {

/// Numbers of address spaces, as SPIR has them.
inline constexpr unsigned kPrivateSpace = 0;
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kConstantSpace = 2;
inline constexpr unsigned kLocalSpace = 3;
/// Such a pointer may point to private, local or global memory.
inline constexpr unsigned kGenericSpace = 4;

}  // namespace skmd
