// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/outcome.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>

#include "cpu-driver/codegen/masks/markers.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

Value* returned(const llvm::BasicBlock& block) {
  const auto* leave = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
  return leave != nullptr ? leave->getReturnValue() : nullptr;
}

}  // namespace

domain::Result<std::vector<llvm::ConstantInt*>> outcomes(llvm::Function& function, const Divergence& divergence) {
  llvm::SetVector<Value*> sources;
  for (const llvm::BasicBlock& block : function)
    if (Value* value = returned(block); value != nullptr && divergence.varying(value)) sources.insert(value);
  std::vector<llvm::ConstantInt*> values;
  for (unsigned i = 0; i < sources.size(); ++i) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(sources[i])) {
      values.push_back(constant);
    } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(sources[i])) {
      sources.insert(phi->op_begin(), phi->op_end());
    } else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(sources[i])) {
      sources.insert(select->getTrueValue());
      sources.insert(select->getFalseValue());
    } else if (!llvm::isa<llvm::UndefValue>(sources[i])) {
      return domain::Error{0, "where work-items go on after a barrier is computed"};
    }
  }
  return values;
}

void agree(llvm::ReturnInst& leave, llvm::ArrayRef<llvm::ConstantInt*> values, Value& live) {
  if (values.empty()) return;
  llvm::IRBuilder<> ir(&leave);
  Value* result = values.front();
  for (llvm::ConstantInt* value : values.drop_front()) {
    Value* here = ir.CreateSelect(&live, ir.CreateICmpEQ(leave.getReturnValue(), value), ir.getFalse());
    result = ir.CreateSelect(ask_any(ir, *here), value, result);
  }
  leave.setOperand(0, result);
}

}  // namespace skmd::codegen
