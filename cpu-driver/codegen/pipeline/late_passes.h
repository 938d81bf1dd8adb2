// SPDX-License-Identifier: Apache-2.0
// The passes that run over a kernel's code when its items and groups are loops: the last before the target's own.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

/// The loops around the items and what was inlined there.
void finish(llvm::Function& group, Isa isa, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen
