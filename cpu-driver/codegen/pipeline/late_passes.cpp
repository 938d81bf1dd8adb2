// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/late_passes.h"

#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "cpu-driver/codegen/loops/early_ends.h"
#include "cpu-driver/codegen/loops/full_lanes.h"
#include "cpu-driver/codegen/loops/unswitch.h"
#include "cpu-driver/codegen/packs/join_stores.h"
#include "cpu-driver/codegen/packs/pack.h"
#include "cpu-driver/codegen/vector/few_lanes.h"
#include "cpu-driver/codegen/vector/known_places.h"
#include "cpu-driver/codegen/vector/lookups.h"
#include "cpu-driver/codegen/vector/lower_gathers.h"
#include "cpu-driver/codegen/vector/overlaps.h"

namespace skmd::codegen {

void finish(llvm::Function& group, Isa isa, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(FullLanesPass());
  // Of loops that ask for nothing any more, numbers of 32 bits are known not to wrap.
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  // Whether a kernel's own loop goes on is asked once for all items.
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::SimpleLoopUnswitchPass(true), true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(UnswitchShortcutsPass(), true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopDeletionPass()));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(KnownPlacesPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(FewLanesPass());
  passes.addPass(JoinStoresPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(EarlyEndsPass());
  passes.addPass(PackMembersPass(isa));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(LowerLookupsPass(isa));
  passes.addPass(LowerGathersPass(isa));
  passes.addPass(OverlapsPass(isa));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.run(group, analyses);
  analyses.invalidate(group, llvm::PreservedAnalyses::none());
}

}  // namespace skmd::codegen
