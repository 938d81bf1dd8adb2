// SPDX-License-Identifier: Apache-2.0
// One lane's value of a vector, computed alone where it is computed of scalars.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

class OneLane {
 public:
  /// Code is made with `builder`, where all of `vector`'s operands are there. An instruction is computed again for the
  /// lane if `again` says so; `again` is asked about address computations, integer operations and casts only.
  OneLane(Builder& builder, unsigned lane, llvm::function_ref<bool(const llvm::Instruction&)> again)
      : builder_(builder), lane_(lane), again_(again) {}

  llvm::Value* of(llvm::Value* vector, unsigned depth = 0);

 private:
  Builder& builder_;
  const unsigned lane_;
  llvm::function_ref<bool(const llvm::Instruction&)> again_;
};

}  // namespace skmd::codegen
