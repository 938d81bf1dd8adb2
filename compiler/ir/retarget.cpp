// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/retarget.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace skmd::compiler {

namespace {

// Addresses were computed with the sizes of SPIR's layout.
bool same_size(llvm::Type* type, const llvm::DataLayout& before, const llvm::DataLayout& after) {
  return !type->isSized() || (before.getTypeAllocSize(type) == after.getTypeAllocSize(type) &&
                              before.getTypeStoreSize(type) == after.getTypeStoreSize(type));
}

}  // namespace

domain::Status retarget(llvm::Module& module, const llvm::TargetMachine& machine) {
  const llvm::DataLayout before = module.getDataLayout();
  const llvm::DataLayout after = machine.createDataLayout();
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      llvm::Type* type = instruction.getType();
      if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
        type = address->getSourceElementType();
      if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) type = variable->getAllocatedType();
      if (!same_size(type, before, after)) return domain::Error{0, "a type has another size on the target"};
    }
  }
  for (llvm::GlobalVariable& variable : module.globals())
    if (!same_size(variable.getValueType(), before, after))
      return domain::Error{0, "a type has another size on the target"};
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(after);
  return {};
}

}  // namespace skmd::compiler
