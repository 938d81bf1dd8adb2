// SPDX-License-Identifier: Apache-2.0
// Integer builtins as plain IR, so that the optimiser and scalar evolution see through them:
//   %m = call i32 @_Z3minii(i32 %a, i32 %b)   =>   %m = call i32 @llvm.smin.i32(i32 %a, i32 %b)
// Done: min, max, clamp, abs, mul24, mad24, and convert_ between integers without saturation. For analysis only.
#pragma once

namespace llvm {
class Module;
}

namespace skmd::compiler {

void expand_builtins(llvm::Module& module);

/// Clang stores a 3-vector as 4 elements whose last is undefined: such stores to global memory are marked before
/// optimisation hides where they come from, by going through a call of this name (value, pointer).
inline constexpr char kStoreOfThree[] = "skmd.store.three";
void mark_stores_of_three(llvm::Module& module);

}  // namespace skmd::compiler
