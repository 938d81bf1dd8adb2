// SPDX-License-Identifier: Apache-2.0
// Loops that a work-item leaves only after another one has done something. In step, both would be in the loop for ever.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// A loop of which what other work-items do may decide when it ends; null: there is none. Atomic sums that change their
/// place each time do not count: their loops get on by themselves.
const llvm::Loop* waits_for_others(llvm::Function& function, const llvm::LoopInfo& loops);

}  // namespace skmd::codegen
