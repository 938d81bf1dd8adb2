// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/passes.h"

#include <llvm/Support/raw_ostream.h>

#include "cpu-driver/codegen/library/library.h"

namespace skmd::codegen {

namespace {

struct LinkLibraryPass : llvm::PassInfoMixin<LinkLibraryPass> {
  Isa isa;
  Link which;

  LinkLibraryPass(Isa for_isa, Link link) : isa(for_isa), which(link) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const {
    if (const domain::Status status = link_library(module, isa, which); !status)
      llvm::errs() << "skmd-link-library: " << status.error().reason << "\n";
    return llvm::PreservedAnalyses::none();
  }
};

struct ExpandBuiltinsPass : llvm::PassInfoMixin<ExpandBuiltinsPass> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    expand_builtins(module);
    return llvm::PreservedAnalyses::none();
  }
};

/// "skmd-link-library" (AVX-512, all), "skmd-link-library<avx2;kept>".
bool parse_pass(llvm::StringRef name, llvm::ModulePassManager& passes) {
  if (name == "skmd-expand-builtins") {
    passes.addPass(ExpandBuiltinsPass());
    return true;
  }
  if (!name.consume_front("skmd-link-library")) return false;
  Isa isa = Isa::avx512;
  Link which = Link::all;
  if (name.consume_front("<") && name.consume_back(">")) {
    llvm::SmallVector<llvm::StringRef, 2> words;
    name.split(words, ';');
    for (const llvm::StringRef word : words) {
      if (word == "kept") which = Link::all_but_kept;
      if (word == "avx2") isa = Isa::avx2;
      if (word == "sse") isa = Isa::sse;
    }
  } else if (!name.empty()) {
    return false;
  }
  passes.addPass(LinkLibraryPass(isa, which));
  return true;
}

}  // namespace

void register_library_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        return parse_pass(name, passes);
      });
}

}  // namespace skmd::codegen
