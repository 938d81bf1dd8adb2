// SPDX-License-Identifier: Apache-2.0
// Masked accesses of whole vectors, which stay private declarations until code is generated: LLVM 22's InstCombine
// moves an llvm.masked.load behind later stores.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

/// A vector of `type` from `pointer`; lanes whose bit in `mask` is clear are not read and are poison.
llvm::CallInst* create_masked_load(llvm::IRBuilderBase& builder, llvm::FixedVectorType* type, llvm::Value* pointer,
                                   llvm::Align align, llvm::Value* mask);

/// Lanes whose bit in `mask` is clear are not written.
llvm::CallInst* create_masked_store(llvm::IRBuilderBase& builder, llvm::Value* vector, llvm::Value* pointer,
                                    llvm::Align align, llvm::Value* mask);

struct MaskedAccess {
  llvm::FixedVectorType* type;
  llvm::Value* pointer;
  llvm::Value* stored;  // null: a load
  llvm::Value* mask;
  llvm::Align align;
};

/// What a call of create_masked_load() or create_masked_store() does; nothing for other instructions.
std::optional<MaskedAccess> masked_access(llvm::Instruction& instruction);

/// Makes LLVM's own masked accesses of them, or whole ones where memory and `isa` allow it (blend.h). Nothing that
/// changes IR may run on `module` after it, but code generation. Returns whether there were any.
bool lower_masked(llvm::Module& module, Isa isa);

}  // namespace skmd::codegen
