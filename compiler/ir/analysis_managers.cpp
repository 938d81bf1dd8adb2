// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/analysis_managers.h"

#include <llvm/Passes/PassBuilder.h>

namespace skmd::compiler {

namespace {

void connect(AnalysisManagers& managers, llvm::PassBuilder& builder) {
  builder.registerModuleAnalyses(managers.modules);
  builder.registerCGSCCAnalyses(managers.components);
  builder.registerFunctionAnalyses(managers.functions);
  builder.registerLoopAnalyses(managers.loops);
  builder.crossRegisterProxies(managers.loops, managers.functions, managers.components, managers.modules);
}

}  // namespace

// The managers keep analyses, not the builder that names them.
AnalysisManagers::AnalysisManagers() {
  llvm::PassBuilder builder;
  connect(*this, builder);
}

AnalysisManagers::AnalysisManagers(llvm::PassBuilder& builder) { connect(*this, builder); }

}  // namespace skmd::compiler
