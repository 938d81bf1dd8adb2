// SPDX-License-Identifier: Apache-2.0
// Values of a group that its code wants where it leaves and where it goes on, and nowhere between: computed there, so
// that the loops between keep no registers for them.
#pragma once

#include <llvm/IR/Value.h>

namespace skmd::compiler {

/// Of a launch's kernel (device_form.h), all of them known at its entry.
struct GroupValues {
  llvm::Value* states = nullptr;   // the parameter
  llvm::Value* control = nullptr;  // the parameter
  llvm::Value* state = nullptr;    // of the group, a pointer
  llvm::Value* stages = nullptr;   // of the group, a pointer
  llvm::Value* linear = nullptr;   // i64: the item's number in its group
  llvm::Value* items = nullptr;    // i64: of the group
};

/// Lets each block of the kernel that uses one of the last four, but for the block that defines it, compute it by a
/// call of kStateHere, kStagesHere, kLinearHere or kItemsHere (compiler/client/stoppable.h).
void rematerialize(const GroupValues& values);

}  // namespace skmd::compiler
