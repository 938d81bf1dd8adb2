// SPDX-License-Identifier: Apache-2.0
// Linearises control flow: orders the blocks of a function so that diverged lanes run one after the other, under masks.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include "cpu-driver/codegen/masks/divergence.h"
#include "cpu-driver/codegen/masks/levels.h"

namespace skmd::codegen {

/// `live`: the lanes that run `function` at all, at least one. Afterwards all branches are uniform, and effects are
/// masked. `outcomes`: what lanes may return, if it varies (outcome.h).
void linearise(llvm::Function& function, llvm::LoopInfo& loops, Levels& levels, const Divergence& divergence,
               llvm::Value& live, llvm::ArrayRef<llvm::ConstantInt*> outcomes);

}  // namespace skmd::codegen
