// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/vector/few_lanes.h"
#include "cpu-driver/codegen/vector/known_places.h"
#include "cpu-driver/codegen/vector/lookups.h"
#include "cpu-driver/codegen/vector/lower_gathers.h"
#include "cpu-driver/codegen/vector/lower_masked.h"
#include "cpu-driver/codegen/vector/overlaps.h"
#include "cpu-driver/codegen/vector/widen.h"

namespace skmd::codegen {

namespace {

using llvm::Function;
using llvm::Module;
using llvm::StringRef;

/// Widens each masked function of a module. Where the module declares a function of the result's name, for callers, the
/// result takes its place. Obstacles and remarks go to standard error.
struct WidenPass : llvm::PassInfoMixin<WidenPass> {
  WidenOptions options;
  bool remarks = false;

  llvm::PreservedAnalyses run(Module& module, llvm::ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    llvm::SmallVector<Function*, 8> masked;
    for (Function& function : module)
      if (function.hasFnAttribute(kMasked) && !function.isDeclaration()) masked.push_back(&function);
    for (Function* function : masked) widen_one(*function, functions);
    return llvm::PreservedAnalyses::none();
  }

  void widen_one(Function& masked, llvm::FunctionAnalysisManager& analyses) {
    std::vector<std::string> found;
    if (remarks) options.remarks = &found;
    domain::Result<Function*> made = widen(masked, options, analyses);
    for (const std::string& remark : found) llvm::errs() << masked.getName() << ": " << remark << "\n";
    if (!made) {
      llvm::errs() << masked.getName() << ": not widened: " << made.error().reason << "\n";
      return;
    }
    const std::string name =
        masked.getName().str() + ".x" + std::to_string(options.width) + (options.full ? "" : ".live");
    Function* declared = masked.getParent()->getFunction(name);
    if (declared == *made || declared == nullptr || !declared->isDeclaration()) return;
    declared->replaceAllUsesWith(*made);
    (*made)->takeName(declared);
    declared->eraseFromParent();
  }
};

struct LowerMaskedPass : llvm::PassInfoMixin<LowerMaskedPass> {
  Isa isa;

  explicit LowerMaskedPass(Isa of) : isa(of) {}
  llvm::PreservedAnalyses run(Module& module, llvm::ModuleAnalysisManager&) {
    return lower_masked(module, isa) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

bool set(WidenPass& pass, StringRef text) {
  WidenOptions& options = pass.options;
  if (text == "remarks") {
    pass.remarks = true;
    return true;
  }
  if (text == "full" || text == "live") {
    options.full = text == "full";
    return true;
  }
  if (text.consume_front("width=")) return llvm::to_integer(text, options.width);
  if (text.consume_front("isa=")) {
    const std::optional<Isa> isa = isa_of(text);
    options.isa = isa.value_or(options.isa);
    return isa.has_value();
  }
  return false;
}

// skmd-widen, or skmd-widen<width=8;isa=avx2;live;remarks>
std::optional<WidenPass> parse(StringRef name) {
  if (!name.consume_front("skmd-widen")) return std::nullopt;
  WidenPass pass;
  if (name.empty()) return pass;
  if (!name.consume_front("<") || !name.consume_back(">")) return std::nullopt;
  llvm::SmallVector<StringRef, 4> parts;
  name.split(parts, ';', -1, false);
  for (StringRef part : parts)
    if (!set(pass, part)) return std::nullopt;
  return pass;
}

}  // namespace

void register_vector_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineParsingCallback(
      [](StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name == "skmd-known-places") {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(KnownPlacesPass()));
          return true;
        }
        if (name == "skmd-few-lanes") {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(FewLanesPass()));
          return true;
        }
        if (const std::optional<Isa> isa = isa_in(name, "skmd-lower-lookups")) {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(LowerLookupsPass(*isa)));
          return true;
        }
        if (const std::optional<Isa> isa = isa_in(name, "skmd-lower-gathers")) {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(LowerGathersPass(*isa)));
          return true;
        }
        if (const std::optional<Isa> isa = isa_in(name, "skmd-overlaps")) {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(OverlapsPass(*isa)));
          return true;
        }
        if (const std::optional<Isa> isa = isa_in(name, "skmd-lower-masked")) {
          passes.addPass(LowerMaskedPass(*isa));
          return true;
        }
        std::optional<WidenPass> widen = parse(name);
        if (!widen) return false;
        passes.addPass(std::move(*widen));
        return true;
      });
}

}  // namespace skmd::codegen
