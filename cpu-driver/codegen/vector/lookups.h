// SPDX-License-Identifier: Apache-2.0
// Loads of bytes from small tables, which stay one call until it is known how many lanes go through it together.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

/// What an index of 8 bits reaches.
inline constexpr unsigned kTableBytes = 256;

/// Byte base[index] for each lane of `index`, a vector of i8, where that of `mask` is set; anything elsewhere.
llvm::CallInst* create_lookup(Builder& builder, llvm::Value* base, llvm::Value* index, llvm::Value* mask);

/// A call that create_lookup() made; its arguments are in the same order.
bool is_lookup(const llvm::Value& value);

/// Writes the code of a function's lookups: where the table is on one page it goes into registers, out of which
/// instructions pick. Gathers are left where it is not and, without AVX-512, of fewer lanes than make that worth while.
/// Returns whether there were any.
bool lower_lookups(llvm::Function& function, Isa isa);

struct LowerLookupsPass : llvm::PassInfoMixin<LowerLookupsPass> {
  explicit LowerLookupsPass(Isa set) : isa(set) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) const {
    return lower_lookups(function, isa) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  Isa isa;
};

}  // namespace skmd::codegen
