// SPDX-License-Identifier: Apache-2.0
// Gathers on processors that have no good instruction for them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

/// Whether code for `isa` keeps gathers of 32 and 64 bits as one instruction. SSE has none. That of processors with
/// AVX2 and without AVX-512 is not used, since on none of their kinds it can be relied on:
///   Haswell, Broadwell      34 and 14 micro-operations for 8 lanes
///   Skylake to Comet Lake   5, and several times that since the microcode against Gather Data Sampling
///                           (INTEL-SA-00828)
///   Zen 1 to Zen 3          microcoded; LLVM's models have no figure for it
///   Alder Lake and later    12 on large cores, and microcoded on small ones: a thread may be on either
/// Loads of the lanes with what they need around them are 32 to 38, which nothing else waits for. (Micro-operations as
/// LLVM 22's scheduling models have them.)
inline bool gathers_by_instruction(Isa isa) { return isa >= Isa::avx512; }

/// Makes loads of single lanes of gathers, where that suits `isa` better. Lanes that do not run read a place of the
/// function's own. Returns whether there were any.
bool lower_gathers(llvm::Function& function, Isa isa);

struct LowerGathersPass : llvm::PassInfoMixin<LowerGathersPass> {
  explicit LowerGathersPass(Isa set) : isa(set) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) const {
    if (!lower_gathers(function, isa)) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
  Isa isa;
};

}  // namespace skmd::codegen
