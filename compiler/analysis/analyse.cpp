// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/analyse.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/analysis/access_class.h"
#include "compiler/analysis/accesses.h"
#include "compiler/analysis/analysis_constants.h"
#include "compiler/analysis/expand_builtins.h"
#include "compiler/analysis/facts.h"
#include "compiler/analysis/local_accesses.h"
#include "compiler/analysis/operations.h"
#include "compiler/analysis/prepare.h"
#include "compiler/ir/analysis_managers.h"
#include "compiler/ir/find_kernel.h"

namespace skmd::compiler {

namespace {

bool is_manageable(const llvm::Function& kernel, const llvm::LoopInfo& loops) {
  return kernel.size() <= tuning::kMaxAnalysedBlocks && loops.getLoopsInPreorder().size() <= tuning::kMaxAnalysedLoops;
}

// False if the kernel is too large; what the traits then have is incomplete.
bool analyse_kernel(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, domain::KernelTraits& traits,
                    Reads reads) {
  note_code(kernel, traits);
  if (!is_manageable(kernel, analyses.getResult<llvm::LoopAnalysis>(kernel))) return false;
  simplify(kernel, analyses, reads);
  const KernelView view{kernel,
                        kernel.getParent()->getDataLayout(),
                        analyses.getResult<llvm::DominatorTreeAnalysis>(kernel),
                        analyses.getResult<llvm::PostDominatorTreeAnalysis>(kernel),
                        analyses.getResult<llvm::LoopAnalysis>(kernel),
                        analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel)};
  NodeTable nodes(traits.nodes);
  Expressions expressions(view, nodes, traits.loops);
  Pointers pointers(expressions);
  const ControlDependence control(view);
  const Influences influences(view, control);
  Accesses accesses(traits, pointers, expressions, control, influences);
  for (llvm::BasicBlock& block : kernel) {
    if (!view.dominators.isReachableFromEntry(&block)) continue;
    for (llvm::Instruction& instruction : block) accesses.add(instruction);
    if (traits.accesses.size() > tuning::kMaxAnalysedAccesses) return false;
  }
  if (reads == Reads::all) {  // it is checked
    LocalAccesses locals(traits, expressions, control);
    for (llvm::BasicBlock& block : kernel)
      if (view.dominators.isReachableFromEntry(&block))
        for (llvm::Instruction& instruction : block) locals.add(instruction);
    locals.finish();
  }
  note_spinning(view, pointers, traits);
  count_operations(view, control, influences, expressions, traits);
  return true;
}

// True of any code: what is left to say of a kernel that cannot be looked into.
void give_up(const llvm::Function* kernel, domain::KernelTraits& traits) {
  traits.nodes.clear();
  traits.loops.clear();
  traits.accesses.clear();
  traits.local_accesses.clear();
  traits.local_variables.clear();
  traits.locals_known = false;
  traits.operations.clear();
  traits.facts |= domain::kFactDeviceSpecificCode | domain::kFactDataDecidesWork;
  if (kernel != nullptr) return Accesses::add_everything(*kernel, traits);
  for (std::uint32_t i = 0; i < traits.parameters.size(); ++i) {
    const domain::ParameterKind kind = traits.parameters[i].kind;
    const bool constant = kind == domain::ParameterKind::constant_pointer;
    if (!constant && kind != domain::ParameterKind::global_pointer && kind != domain::ParameterKind::image) continue;
    domain::Access access;
    access.argument = i;
    traits.accesses.push_back(access);
    access.kind = domain::AccessKind::write;
    if (!constant) traits.accesses.push_back(access);
  }
}

}  // namespace

void assume_the_worst(std::vector<domain::KernelTraits>& kernels) {
  for (domain::KernelTraits& traits : kernels) {
    give_up(nullptr, traits);
    traits.access = classify(traits);
  }
}

void analyse(llvm::Module& module, std::vector<domain::KernelTraits>& kernels, Reads reads) {
  AnalysisManagers analyses;
  mark_stores_of_three(module);
  expand_builtins(module);
  std::vector<llvm::Function*> functions;
  for (domain::KernelTraits& traits : kernels) {
    llvm::Function* kernel = find_kernel(module, traits.name);
    // Arguments are told apart by their position.
    if (kernel != nullptr && kernel->arg_size() != traits.parameters.size()) kernel = nullptr;
    if (kernel == nullptr) {
      give_up(nullptr, traits);
    } else if (!inline_everything(module, {kernel})) {
      note_code(*kernel, traits);
      give_up(kernel, traits);
    } else if (!analyse_kernel(*kernel, analyses.functions, traits, reads)) {
      give_up(kernel, traits);
    }
    traits.access = classify(traits);
  }
}

}  // namespace skmd::compiler
