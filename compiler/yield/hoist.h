// SPDX-License-Identifier: Apache-2.0
// Values that follow from ids and arguments: computed where the kernel begins instead of being kept.
#pragma once

#include <llvm/IR/Instructions.h>

namespace skmd::compiler {

/// Moves `value`, and what it is computed from, before `end` in the entry block. False, and nothing happens, if it
/// takes anything but ids, sizes, arguments and a few operations that any work-item may do at any time.
bool hoist(llvm::Instruction& value, llvm::Instruction& end);

}  // namespace skmd::compiler
