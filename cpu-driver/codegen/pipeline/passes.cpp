// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/passes.h"

#include <llvm/Support/raw_ostream.h>

#include "cpu-driver/codegen/check/checks.h"
#include "cpu-driver/codegen/item/host_alignment.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/own_builtins.h"
#include "cpu-driver/codegen/item/regions.h"
#include "cpu-driver/codegen/item/simplify.h"
#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/loops/early_ends.h"
#include "cpu-driver/codegen/loops/full_lanes.h"
#include "cpu-driver/codegen/loops/unit_factors.h"
#include "cpu-driver/codegen/loops/unswitch.h"

namespace skmd::codegen {

namespace {

// Of the module: what has SPIR's calling convention for them.
std::vector<llvm::Function*> kernels_of(llvm::Module& module) {
  std::vector<llvm::Function*> kernels;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
      kernels.push_back(&function);
  return kernels;
}

void complain(const llvm::Function& kernel, const domain::Error& error) {
  llvm::outs() << "; " << kernel.getName() << ": " << error.reason << "\n";
}

// Each kernel becomes a checked item function; the places go to standard output.
class CheckPass : public llvm::PassInfoMixin<CheckPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (llvm::Function* kernel : kernels_of(module)) check(*kernel);
    return llvm::PreservedAnalyses::none();
  }

 private:
  static void check(llvm::Function& kernel) {
    const auto arguments = static_cast<unsigned>(kernel.arg_size());
    auto item = make_item_function(kernel, (kernel.getName() + ".item").str());
    if (!item) return complain(kernel, item.error());
    if (auto status = expand_own_builtins(**item, arguments); !status) return complain(kernel, status.error());
    CheckedItem checked = checked_item(**item, arguments);
    checked.sites = add_traps(**item, checked);
    auto bytes = place_local_variables(**item, arguments);
    if (!bytes) return complain(kernel, bytes.error());
    checked.local_bytes = *bytes;
    auto sites = add_checks(**item, checked);
    if (!sites) return complain(kernel, sites.error());
    llvm::SmallVector<llvm::StringRef, 8> lines;
    llvm::StringRef(*sites).split(lines, '\n', -1, false);
    for (const llvm::StringRef line : lines) llvm::outs() << "; " << kernel.getName() << ": " << line << "\n";
  }
};

class CutPass : public llvm::PassInfoMixin<CutPass> {
 public:
  explicit CutPass(bool normal) : normal_(normal) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& modules) {
    auto& analyses = modules.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    inline_program(module);
    for (llvm::Function* kernel : kernels_of(module)) cut(*kernel, analyses);
    return llvm::PreservedAnalyses::none();
  }

 private:
  void cut(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) const {
    const auto arguments = static_cast<unsigned>(kernel.arg_size());
    auto item = make_item_function(kernel, (kernel.getName() + ".item").str());
    if (!item) return complain(kernel, item.error());
    if (auto status = expand_own_builtins(**item, arguments); !status) return complain(kernel, status.error());
    if (auto bytes = place_local_variables(**item, arguments); !bytes) return complain(kernel, bytes.error());
    if (normal_) normalise(**item, false, analyses);
    auto regions = cut_at_barriers(**item, arguments, analyses);
    if (!regions) return complain(kernel, regions.error());
    llvm::outs() << "; " << kernel.getName() << ": " << regions->item_bytes << " bytes per item, "
                 << regions->group_values.size() << " group values\n";
    for (std::size_t k = 0; k < regions->regions.size(); ++k) {
      llvm::outs() << ";   region " << k << " ->";
      for (const unsigned next : regions->regions[k].next)
        llvm::outs() << " " << (next == kEnd ? std::string("end") : std::to_string(next));
      llvm::outs() << "\n";
    }
  }

  bool normal_;
};

class AlignmentPass : public llvm::PassInfoMixin<AlignmentPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    trust_element_alignment(module);
    return llvm::PreservedAnalyses::none();
  }
};

/// Of each item function.
struct UnitFactorsPass : llvm::PassInfoMixin<UnitFactorsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (llvm::Function& function : module)
      if (function.hasFnAttribute(kItem) && !function.isDeclaration()) version_unit_factor(function);
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

void register_pipeline_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name == "skmd-checks") {
          passes.addPass(CheckPass());
          return true;
        }
        if (name == "skmd-regions") {
          passes.addPass(CutPass(true));
          return true;
        }
        if (name == "skmd-regions-only") {
          passes.addPass(CutPass(false));
          return true;
        }
        if (name == "skmd-early-ends") {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(EarlyEndsPass()));
          return true;
        }
        if (name == "skmd-full-lanes") {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(FullLanesPass()));
          return true;
        }
        if (name == "skmd-unswitch-shortcuts") {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(
              llvm::createFunctionToLoopPassAdaptor(UnswitchShortcutsPass(), true)));
          return true;
        }
        if (name == "skmd-unit-factors") {
          passes.addPass(UnitFactorsPass());
          return true;
        }
        if (name == "skmd-host-alignment") {
          passes.addPass(AlignmentPass());
          return true;
        }
        return false;
      });
}

}  // namespace skmd::codegen
