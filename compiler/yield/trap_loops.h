// SPDX-License-Identifier: Apache-2.0
// Tests that are made once in front of a loop instead of in each of its iterations.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

#include "compiler/yield/trap_tests.h"

namespace skmd::compiler {

/// Takes `test`, of `at`, out of as many of the loops around it as possible, and returns in front of what it is to be
/// made: `at` itself, or the end of the block in front of a loop. It fails there only if it would in some iteration.
llvm::Instruction* take_out_of_loops(TrapTest& test, llvm::Instruction& at, llvm::ScalarEvolution& evolution,
                                     const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators);

}  // namespace skmd::compiler
