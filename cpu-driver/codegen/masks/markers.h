// SPDX-License-Identifier: Apache-2.0
// The calls that stand for masked operations (item_function.h).
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace skmd::codegen {

/// Whether a lane says `condition`, at the place of `ir`.
llvm::Value* ask_any(llvm::IRBuilderBase& ir, llvm::Value& condition);

void mark_load(llvm::LoadInst& load, llvm::Value& mask);
void mark_store(llvm::StoreInst& store, llvm::Value& mask);

/// Moves `instruction` to a function of its own, which lanes call one after the other.
void run_each(llvm::Instruction& instruction, llvm::Value& mask);

void add_mask(llvm::CallInst& call, llvm::Value& mask);

}  // namespace skmd::codegen
