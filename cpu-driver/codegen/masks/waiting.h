// SPDX-License-Identifier: Apache-2.0
// Loops that a work-item leaves only after an effect of another one. In lockstep, both would stay in the loop for ever.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// A loop of which what other work-items do may decide when it ends; null: there is none. Atomic additions that change
/// the value each time are not counted: their loops make progress by themselves.
const llvm::Loop* waits_for_others(llvm::Function& function, const llvm::LoopInfo& loops);

}  // namespace skmd::codegen
