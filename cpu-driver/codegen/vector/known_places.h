// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Gathers of lanes whose places differ by constants, such as l ^ 1 or (l + 1) & 3 of a local id l, become one load and
/// a shuffle, where that reads no byte but what lanes read. To be run over loops over vectors, since these tell that
/// the first lane's id is a multiple of the lanes. Returns whether anything was changed.
bool load_known_places(llvm::Function& function);

struct KnownPlacesPass : llvm::PassInfoMixin<KnownPlacesPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) {
    if (!load_known_places(function)) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

}  // namespace skmd::codegen
