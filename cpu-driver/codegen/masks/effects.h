// SPDX-License-Identifier: Apache-2.0
// What single instructions become once lanes run them that should not.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu-driver/codegen/masks/divergence.h"
#include "partitioner/result.h"

namespace skmd::codegen {

/// Whether every instruction of `function` has a masked form; else the error says which has not.
domain::Status check_effects(const llvm::Function& function);

/// Removes what only tells the optimiser something, and would no longer be true for all lanes that run it.
void drop_hints(llvm::Function& function);

/// Gives `instructions`, which lanes run all, a form in which those of `mask` alone do what can be seen.
/// `whole`: `mask` is that of the function, so that lanes outside it have no item at all.
void mask_effects(llvm::ArrayRef<llvm::Instruction*> instructions, llvm::Value& mask, bool whole,
                  const Divergence& divergence);

}  // namespace skmd::codegen
