// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/kernels.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "compiler/analysis/prepare.h"
#include "compiler/ir/analysis_managers.h"
#include "compiler/ir/native.h"
#include "cpu-driver/codegen/check/checks.h"
#include "cpu-driver/codegen/item/host_alignment.h"
#include "cpu-driver/codegen/item/prints.h"
#include "cpu-driver/codegen/item/simplify.h"
#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/library/images.h"
#include "cpu-driver/codegen/library/library.h"
#include "cpu-driver/codegen/pipeline/kernel_work.h"
#include "cpu-driver/codegen/vector/lower_masked.h"
#include "cpu-driver/span_code.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::codegen {

namespace {

class Builder {
 public:
  Builder(llvm::Module& module, const BuildOptions& options) : module_(module), options_(options), by_items_(options) {
    by_items_.width = 1;
  }

  domain::Result<std::vector<KernelNote>> run(const std::vector<std::string>& kernels, Until until) {
    if (domain::Status status = prepare_program(module_); !status) return status.error();
    lower_images(module_);
    for (const std::string& name : kernels) {
      tell(works_.size() + 1);
      works_.push_back(start_kernel(module_, name, options_for(name), analyses_.functions));
    }
    tell(0);
    if (domain::Status status = link(); !status) return status.error();
    trust_element_alignment(module_);
    for_each([&](KernelWork& work) { return normalise_items(work, analyses_.functions); });
    if (until == Until::spans) {
      for_each(
          [&](KernelWork& work) { return cut_and_vectorise(work, options_for(work.note.name), analyses_.functions); });
      // Everything that asks for places has been made.
      llvm::StripDebugInfo(module_);
      analyses_.functions.clear();
      // Vectors call forms of builtins that nothing has called before.
      if (domain::Status status = link_library(module_, options_.isa, Link::all); !status) return status.error();
      inline_library();
      for_each(
          [&](KernelWork& work) { return make_span_code(work, options_for(work.note.name), analyses_.functions); });
      define_prints(module_);
    }
    if (until == Until::items) llvm::StripDebugInfo(module_);
    keep_results(until);
    std::vector<KernelNote> notes;
    for (KernelWork& work : works_) notes.push_back(std::move(work.note));
    return notes;
  }

 private:
  template <class Step>
  void for_each(Step step) {
    for (KernelWork& work : works_) {
      if (!work.note.obstacle.empty()) continue;
      tell(static_cast<std::size_t>(&work - works_.data()) + 1);
      if (const domain::Status status = step(work); !status) work.note.obstacle = status.error().reason;
    }
    tell(0);
  }

  void tell(std::size_t number) const {
    if (options_.at) options_.at(number);
  }

  const GenerateOptions& options_for(const std::string& kernel) const {
    return llvm::is_contained(options_.by_items, kernel) ? by_items_ : options_;
  }

  // What the program's functions did is in the items now; what only they call is not to be linked.
  void drop_program() {
    for (llvm::Function& function : module_)
      if (!function.isDeclaration() && !function.hasFnAttribute(kItem)) drop_body(function);
    for (KernelWork& work : works_)
      if (!work.note.obstacle.empty()) drop_items(work, analyses_.functions);
    for (llvm::Function& function : llvm::make_early_inc_range(module_))
      if (function.isDeclaration() && function.use_empty() && !is_kernel(function)) function.eraseFromParent();
  }

  void drop_body(llvm::Function& function) {
    analyses_.functions.clear(function, function.getName());
    function.deleteBody();
  }

  domain::Status link() {
    for (;;) {
      drop_program();
      domain::Status status = link_library(module_, options_.isa, options_.width == 1 ? Link::all : Link::all_but_kept);
      if (status) break;
      if (!blame(status.error().reason)) return status;
    }
    inline_library();
    return {};
  }

  void inline_library() {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(false));
    passes.run(module_, analyses_.modules);
    analyses_.functions.clear();
  }

  // The reason's last word is the function that the library does not have. Kernels that call it have no code.
  bool blame(llvm::StringRef reason) {
    const llvm::Function* missing = module_.getFunction(reason.rsplit(' ').second);
    if (missing == nullptr) return false;
    bool found = false;
    for (const llvm::User* user : missing->users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      for (KernelWork& work : works_) {
        if (call == nullptr || (call->getFunction() != work.general.item && call->getFunction() != work.limited.item))
          continue;
        work.note.obstacle = "it calls " + missing->getName().str() + ", which is not known here";
        found = true;
      }
    }
    return found;
  }

  bool is_kernel(const llvm::Function& function) const {
    return llvm::any_of(works_, [&](const KernelWork& work) { return work.kernel == &function; });
  }

  void keep_results(Until until) {
    if (until == Until::spans) define_check_failed(module_);
    const auto is_result = [&](const llvm::GlobalValue& value) {
      if (until == Until::items) return value.getName().starts_with(kItemPrefix);
      const llvm::StringRef name = value.getName();
      return name.starts_with(cpu::kernel_symbol("")) || name.starts_with(cpu::facts_symbol("")) ||
             name.starts_with(cpu::sites_symbol("")) || name.starts_with(cpu::yields_symbol("")) ||
             name == cpu::kPrintTable || name == cpu::kPrintRoom;
    };
    for (llvm::GlobalValue& value : module_.global_values()) {
      if (is_result(value)) {
        value.setLinkage(llvm::GlobalValue::ExternalLinkage);
      } else if (!value.isDeclaration()) {
        value.setLinkage(llvm::GlobalValue::InternalLinkage);
      }
    }
    analyses_.functions.clear();
    llvm::ModulePassManager passes;
    passes.addPass(llvm::GlobalDCEPass());
    passes.run(module_, analyses_.modules);
    // Last of all: LLVM may not change its own masked accesses any more (lower_masked.h).
    if (until == Until::spans) lower_masked(module_, options_.isa);
  }

  llvm::Module& module_;
  const BuildOptions& options_;
  GenerateOptions by_items_;
  compiler::AnalysisManagers analyses_;
  std::vector<KernelWork> works_;
};

}  // namespace

domain::Status prepare_program(llvm::Module& module) {
  if (domain::Status status = compiler::retarget(module); !status) return status;
  inline_program(module);
  expand_builtins(module);
  return {};
}

domain::Result<std::vector<KernelNote>> build_kernels(llvm::Module& module, const std::vector<std::string>& kernels,
                                                      const BuildOptions& options, Until until) {
  return Builder(module, options).run(kernels, until);
}

}  // namespace skmd::codegen
