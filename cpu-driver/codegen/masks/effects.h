// SPDX-License-Identifier: Apache-2.0
// The masked form of single instructions, which all lanes execute.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu-driver/codegen/masks/divergence.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// Checks that every instruction of `function` has a masked form; the error names one that has not.
domain::Status check_effects(const llvm::Function& function);

/// Removes optimisation hints (flags, assumptions) that would no longer hold for all lanes that execute them.
void drop_hints(llvm::Function& function);

/// Changes `instructions`, which all lanes execute, so that only lanes of `mask` have visible effects. `whole`: `mask`
/// is that of the function, so that lanes outside it have no item at all.
void mask_effects(llvm::ArrayRef<llvm::Instruction*> instructions, llvm::Value& mask, bool whole,
                  const Divergence& divergence);

}  // namespace skmd::codegen
