// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

/// Of two loads from local memory of several registers each, one of which begins some elements behind the other, as of
/// `tile[l]` and `tile[l + 1]`, the second becomes a shuffle of the first and of the few elements that follow it: what
/// spans two stores would wait for both of them to reach the cache. Returns whether anything was changed.
bool share_overlapping_loads(llvm::Function& function, Isa isa);

struct OverlapsPass : llvm::PassInfoMixin<OverlapsPass> {
  explicit OverlapsPass(Isa set) : isa(set) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) const {
    if (!share_overlapping_loads(function, isa)) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
  Isa isa;
};

}  // namespace skmd::codegen
