// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/passes.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/masks/masks.h"

namespace skmd::codegen {

namespace {

// Every item function of the module; those that cannot be masked are told and stay.
struct MasksPass : llvm::PassInfoMixin<MasksPass> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    std::vector<llvm::Function*> items;
    for (llvm::Function& function : module)
      if (function.hasFnAttribute(kItem) && !function.isDeclaration()) items.push_back(&function);
    for (llvm::Function* item : items) {
      const std::string name = item->getName().str();
      if (auto masked = make_masked(*item, functions); !masked)
        llvm::errs() << "skmd-masks: " << name << ": " << masked.error().reason << "\n";
    }
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

void register_masks_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes, auto) {
    if (name != "skmd-masks") return false;
    passes.addPass(MasksPass());
    return true;
  });
}

}  // namespace skmd::codegen
