// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/packs/passes.h"

#include <optional>

#include "cpu-driver/codegen/packs/join_stores.h"
#include "cpu-driver/codegen/packs/pack.h"

namespace skmd::codegen {

void register_packs_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name == "skmd-join-stores") {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(JoinStoresPass()));
          return true;
        }
        const std::optional<Isa> isa = isa_in(name, "skmd-pack-members");
        if (isa) passes.addPass(llvm::createModuleToFunctionPassAdaptor(PackMembersPass(*isa)));
        return isa.has_value();
      });
}

}  // namespace skmd::codegen
