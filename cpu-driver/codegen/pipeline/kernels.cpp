// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/kernels.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "compiler/analysis/prepare.h"
#include "compiler/merge/guard.h"
#include "compiler/merge/native.h"
#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/library/library.h"
#include "cpu-driver/codegen/pipeline/group.h"
#include "cpu-driver/codegen/pipeline/item.h"
#include "cpu-driver/codegen/pipeline/own_builtins.h"
#include "cpu-driver/codegen/pipeline/regions.h"
#include "cpu-driver/codegen/pipeline/simplify.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;

  Analyses() {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

// One kernel on its way.
struct Work {
  KernelNote note;
  llvm::Function* kernel = nullptr;
  llvm::Function* item = nullptr;
  std::uint64_t local_bytes = 0;
  std::uint64_t private_bytes = 0;
};

class Builder {
 public:
  Builder(llvm::Module& module, const GenerateOptions& options) : module_(module), options_(options) {}

  domain::Result<std::vector<KernelNote>> run(const std::vector<std::string>& kernels, Until until) {
    if (domain::Status status = compiler::retarget(module_); !status) return status.error();
    inline_program(module_);
    expand_builtins(module_);
    for (const std::string& name : kernels) works_.push_back(start(name));
    for (Work& work : works_)
      if (work.note.obstacle.empty()) settle(work, until_item(work));
    if (domain::Status status = link(); !status) return status.error();
    for (Work& work : works_)
      if (work.note.obstacle.empty() && until == Until::spans) settle(work, until_span(work));
    keep_results(until);
    std::vector<KernelNote> notes;
    for (Work& work : works_) notes.push_back(std::move(work.note));
    return notes;
  }

 private:
  static void settle(Work& work, const domain::Status& status) {
    if (!status) work.note.obstacle = status.error().reason;
  }

  Work start(const std::string& name) {
    Work work;
    work.note.name = name;
    work.kernel = compiler::find_kernel(module_, name);
    if (work.kernel == nullptr) {
      work.note.obstacle = "it has no code";
      return work;
    }
    auto item = make_item_function(*work.kernel, "skmd_item_" + name);
    if (!item) {
      work.note.obstacle = item.error().reason;
      return work;
    }
    work.item = *item;
    set_processor(*work.item, options_.isa);
    return work;
  }

  [[nodiscard]] unsigned arguments(const Work& work) const { return static_cast<unsigned>(work.kernel->arg_size()); }

  domain::Status until_item(Work& work) {
    llvm::Function& item = *work.item;
    if (calls_defined(item)) return domain::Error{0, "it calls itself"};
    freeze_conversions(item);
    if (domain::Status status = expand_own_builtins(item, arguments(work)); !status) return status;
    std::vector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& block : item) blocks.push_back(&block);
    compiler::guard_divisions(blocks);
    auto bytes = place_local_variables(item, arguments(work));
    if (!bytes) return bytes.error();
    work.local_bytes = *bytes;
    open_up(item, analyses_.functions);
    if (domain::Status status = expand_transfers(item); !status) return status;
    analyses_.functions.clear(item, item.getName());
    return {};
  }

  // What the program's functions did is in the items now; what only they call is not to be linked.
  void drop_program() {
    for (llvm::Function& function : module_)
      if (!function.isDeclaration() && !function.hasFnAttribute(kItem)) drop_body(function);
    for (Work& work : works_) {
      if (work.note.obstacle.empty() || work.item == nullptr) continue;
      drop_body(*work.item);
      work.item->eraseFromParent();
      work.item = nullptr;
    }
    for (llvm::Function& function : llvm::make_early_inc_range(module_))
      if (function.isDeclaration() && function.use_empty() && !is_kernel(function)) function.eraseFromParent();
  }

  domain::Status link() {
    for (;;) {
      drop_program();
      const domain::Status status = link_library(module_, options_.isa, Link::all);
      if (status) break;
      if (!blame(status.error().reason)) return status;
    }
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(false));
    passes.run(module_, analyses_.modules);
    return {};
  }

  // The reason's last word is the function that the library does not have. Kernels that call it have no code.
  bool blame(llvm::StringRef reason) {
    const llvm::Function* missing = module_.getFunction(reason.rsplit(' ').second);
    if (missing == nullptr) return false;
    bool found = false;
    for (const llvm::User* user : missing->users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      for (Work& work : works_) {
        if (call == nullptr || work.item == nullptr || call->getFunction() != work.item) continue;
        work.note.obstacle = "it calls " + missing->getName().str() + ", which is not known here";
        found = true;
      }
    }
    return found;
  }

  bool is_kernel(const llvm::Function& function) const {
    return llvm::any_of(works_, [&](const Work& work) { return work.kernel == &function; });
  }

  domain::Status until_span(Work& work) {
    normalise(*work.item, false, analyses_.functions);
    work.private_bytes = variables_of(*work.item);
    auto regions = cut_at_barriers(*work.item, arguments(work), analyses_.functions);
    work.item = nullptr;
    if (!regions) return regions.error();
    GroupCode code;
    for (const Region& region : regions->regions) code.regions.push_back({region.function, nullptr, nullptr, 1});
    llvm::Function* group = make_group_function(*work.kernel, cpu::kernel_symbol(work.note.name), *regions, code);
    for (const Region& region : regions->regions) {
      drop_body(*region.function);
      region.function->eraseFromParent();
    }
    set_processor(*group, options_.isa);
    finish(*group, analyses_.functions);
    if (const std::string missing = undefined_in(*group); !missing.empty()) {
      group->eraseFromParent();
      return domain::Error{0, "it calls " + missing + ", which is not known here"};
    }
    add_facts(work, *regions, code);
    return {};
  }

  void drop_body(llvm::Function& function) {
    analyses_.functions.clear(function, function.getName());
    function.deleteBody();
  }

  static bool calls_defined(llvm::Function& item) {
    for (llvm::Instruction& instruction : llvm::instructions(item)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr && !call->getCalledFunction()->isDeclaration())
        return true;
    }
    return false;
  }

  static std::uint64_t variables_of(llvm::Function& item) {
    std::uint64_t bytes = 0;
    for (llvm::Instruction& instruction : llvm::instructions(item))
      if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        if (const auto size = variable->getAllocationSize(item.getDataLayout())) bytes += size->getKnownMinValue();
    return bytes;
  }

  static std::string undefined_in(llvm::Function& function) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && callee->isDeclaration() && !callee->isIntrinsic()) return callee->getName().str();
    }
    return {};
  }

  void add_facts(const Work& work, const Regions& regions, const GroupCode& code) {
    llvm::LLVMContext& context = module_.getContext();
    llvm::Type* i64 = llvm::Type::getInt64Ty(context);
    llvm::Type* i32 = llvm::Type::getInt32Ty(context);
    const auto number = [&](llvm::Type* type, std::uint64_t value) -> llvm::Constant* {
      return llvm::ConstantInt::get(type, value);
    };
    // Laid out as cpu::KernelFacts.
    llvm::Constant* facts =
        llvm::ConstantStruct::getAnon({number(i64, work.local_bytes), number(i64, 0), number(i64, regions.item_bytes),
                                       number(i64, work.private_bytes), number(i32, code.padding), number(i32, 0)});
    auto* variable = new llvm::GlobalVariable(module_, facts->getType(), true, llvm::GlobalValue::ExternalLinkage,
                                              facts, cpu::facts_symbol(work.note.name));
    variable->setAlignment(llvm::Align(8));
  }

  void keep_results(Until until) {
    const auto is_result = [&](const llvm::GlobalValue& value) {
      if (until == Until::items) return value.getName().starts_with("skmd_item_");
      return value.getName().starts_with(cpu::kernel_symbol("")) || value.getName().starts_with(cpu::facts_symbol(""));
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
  }

  llvm::Module& module_;
  const GenerateOptions& options_;
  Analyses analyses_;
  std::vector<Work> works_;
};

}  // namespace

domain::Result<std::vector<KernelNote>> build_kernels(llvm::Module& module, const std::vector<std::string>& kernels,
                                                      const GenerateOptions& options, Until until) {
  return Builder(module, options).run(kernels, until);
}

}  // namespace skmd::codegen
