// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/expand.h"

#include <llvm/IR/InstIterator.h>

#include <vector>

#include "cpu-driver/codegen/library/library.h"

namespace skmd::codegen {

namespace {

/// Calls of native_sin and the like become calls of sin.
void use_plain_names(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration()) continue;
    const std::string plain = plain_name(function.getName());
    if (plain.empty()) continue;
    auto target = module.getOrInsertFunction(plain, function.getFunctionType(), function.getAttributes());
    auto* declared = llvm::dyn_cast<llvm::Function>(target.getCallee());
    if (declared == nullptr || declared->getFunctionType() != function.getFunctionType()) continue;
    declared->setCallingConv(function.getCallingConv());
    function.replaceAllUsesWith(declared);
    function.eraseFromParent();
  }
}

Expansion expand(llvm::CallInst& call, const SplitName& name, bool keep_vectors) {
  for (auto* expander : {expand_memory, expand_atomic})
    if (const Expansion expansion = expander(call, name)) return expansion;
  return expand_math(call, name, keep_vectors);
}

void expand_calls(llvm::Function& builtin, const SplitName& name, bool keep_vectors) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : builtin.users())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user); call != nullptr && call->getCalledOperand() == &builtin)
      calls.push_back(call);
  for (llvm::CallInst* call : calls) {
    const Expansion expansion = expand(*call, name, keep_vectors);
    if (!expansion) return;
    if (*expansion != nullptr) {
      if (call->hasName()) (*expansion)->takeName(call);
      call->replaceAllUsesWith(*expansion);
    }
    call->eraseFromParent();
  }
}

bool is_frozen(const llvm::Instruction& conversion) {
  return llvm::all_of(conversion.users(), [](const llvm::User* user) { return llvm::isa<llvm::FreezeInst>(user); });
}

}  // namespace

void freeze_conversions(llvm::Function& function) {
  std::vector<llvm::Instruction*> conversions;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction) && !is_frozen(instruction))
      conversions.push_back(&instruction);
  for (llvm::Instruction* conversion : conversions) {
    auto* frozen = new llvm::FreezeInst(conversion, "", std::next(conversion->getIterator()));
    frozen->setDebugLoc(conversion->getDebugLoc());
    conversion->replaceUsesWithIf(frozen, [&](const llvm::Use& use) { return use.getUser() != frozen; });
  }
}

void expand_builtins(llvm::Module& module) { expand_builtins(module, false); }

void expand_builtins(llvm::Module& module, bool keep_vectors) {
  use_plain_names(module);
  std::vector<llvm::Function*> builtins;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration())
      freeze_conversions(function);
    else if (!function.isIntrinsic())
      builtins.push_back(&function);
  }
  for (llvm::Function* builtin : builtins) {
    const auto name = split_name(builtin->getName());
    if (!name) continue;
    expand_calls(*builtin, *name, keep_vectors);
    if (builtin->use_empty()) builtin->eraseFromParent();
  }
}

}  // namespace skmd::codegen
