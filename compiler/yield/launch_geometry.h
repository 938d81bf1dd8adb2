// SPDX-License-Identifier: Apache-2.0
// What queries answer in kernels that a device is given for some of a launch's groups.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "compiler/ir/geometry.h"

namespace skmd::compiler {

/// Whether the builtin answers otherwise for the whole launch than for the groups that the device is given.
bool is_of_launch(llvm::StringRef name);

/// Which words of control hold what of the whole launch (compiler/client/stoppable.h, trapping.h).
struct LaunchWords {
  std::uint32_t work_dim = 0, group_counts = 0, offsets = 0;
};

/// Of the group with the flattened `number`, i32. `word` loads a word of control, i32; `native` calls a query of the
/// device, by its mangled name and dimension, i64. Both add to `ir`.
Geometry geometry_of_group(llvm::IRBuilder<>& ir, llvm::Value* number, const LaunchWords& words,
                           llvm::function_ref<llvm::Value*(std::uint32_t index)> word,
                           llvm::function_ref<llvm::Value*(llvm::StringRef name, unsigned dimension)> native);

}  // namespace skmd::compiler
