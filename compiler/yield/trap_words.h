// SPDX-License-Identifier: Apache-2.0
// What checked kernels on vendors' devices read of control (compiler/client/trapping.h).
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "compiler/ir/geometry.h"

namespace skmd::compiler {

/// A word of `control`, i32, that nothing changes while the launch runs.
llvm::Value* trap_word(llvm::IRBuilder<>& ir, llvm::Value& control, std::uint32_t index);
/// The word at `index` and, as the upper half, the next one: i64.
llvm::Value* wide_trap_word(llvm::IRBuilder<>& ir, llvm::Value& control, std::uint32_t index);

/// The group that runs, in the whole launch.
struct TrapGroup {
  llvm::Value* number = nullptr;  // flattened, i32
  Geometry geometry;
};
/// `native` calls a query of the device, by its mangled name and dimension, i64. Both add to `ir`.
TrapGroup trap_group(llvm::IRBuilder<>& ir, llvm::Value& control,
                     llvm::function_ref<llvm::Value*(llvm::StringRef name, unsigned dimension)> native);

}  // namespace skmd::compiler
