// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/expand_builtins.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"

namespace skmd::compiler {

namespace {

using llvm::Value;

// Signedness of the first parameter, looking through a vector type.
bool first_is_unsigned(llvm::StringRef parameters) {
  if (parameters.consume_front("Dv")) {
    parameters = parameters.drop_while([](char c) { return c >= '0' && c <= '9'; });
    parameters.consume_front("_");
  }
  return !parameters.empty() && llvm::StringRef("htjm").contains(parameters.front());
}

// min(int4, int) and its like: the scalar operand goes to every lane.
Value* widened(llvm::IRBuilder<>& ir, Value* value, llvm::Type* type) {
  if (value->getType() == type) return value;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || value->getType() != vector->getElementType()) return nullptr;
  return ir.CreateVectorSplat(vector->getNumElements(), value);
}

Value* extreme(llvm::IRBuilder<>& ir, bool minimum, bool is_unsigned, Value* a, Value* b) {
  const auto id = minimum ? (is_unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin)
                          : (is_unsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax);
  return ir.CreateBinaryIntrinsic(id, a, b);
}

Value* converted(llvm::IRBuilder<>& ir, llvm::StringRef name, const llvm::CallInst& call, bool is_unsigned) {
  if (!name.starts_with("convert_") || name.contains("_sat") || call.arg_size() != 1) return nullptr;
  Value* source = call.getArgOperand(0);
  if (!source->getType()->isIntOrIntVectorTy()) return nullptr;
  return ir.CreateIntCast(source, call.getType(), !is_unsigned);
}

Value* expansion(llvm::IRBuilder<>& ir, const llvm::CallInst& call) {
  const Builtin builtin = builtin_of(call);
  llvm::Type* type = call.getType();
  if (!builtin.mangled || !type->isIntOrIntVectorTy()) return nullptr;
  const bool is_unsigned = first_is_unsigned(builtin.parameters);
  if (Value* value = converted(ir, builtin.name, call, is_unsigned)) return value;
  llvm::SmallVector<Value*, 3> operands;
  for (Value* operand : call.args()) {
    operands.push_back(widened(ir, operand, type));
    if (operands.back() == nullptr) return nullptr;
  }
  const llvm::StringRef name = builtin.name;
  if (operands.size() == 2 && (name == "min" || name == "max")) {
    return extreme(ir, name == "min", is_unsigned, operands[0], operands[1]);
  }
  if (operands.size() == 3 && name == "clamp") {
    return extreme(ir, true, is_unsigned, extreme(ir, false, is_unsigned, operands[0], operands[1]), operands[2]);
  }
  // Operands beyond 24 bits give an implementation-defined result.
  if (operands.size() == 2 && name == "mul24") return ir.CreateMul(operands[0], operands[1]);
  if (operands.size() == 3 && name == "mad24") return ir.CreateAdd(ir.CreateMul(operands[0], operands[1]), operands[2]);
  if (operands.size() == 1 && name == "abs") {
    if (is_unsigned) return operands[0];
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, operands[0], ir.CreateNeg(operands[0]));
  }
  return nullptr;
}

// A constant of three elements was widened by one that is nothing.
bool comes_from_three(const Value* value) {
  const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
  if (shuffle == nullptr) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    const llvm::Constant* fourth = constant == nullptr ? nullptr : constant->getAggregateElement(3u);
    return fourth != nullptr && llvm::isa<llvm::UndefValue>(fourth);
  }
  const auto* source = llvm::dyn_cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType());
  return source != nullptr && source->getNumElements() == 3;
}

bool stores_three(const llvm::StoreInst& store) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
  return type != nullptr && type->getNumElements() == 4 && store.getPointerAddressSpace() == kGlobalSpace &&
         !store.isVolatile() && comes_from_three(store.getValueOperand());
}

}  // namespace

void expand_builtins(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr) continue;
      llvm::IRBuilder<> ir(call);
      if (Value* value = expansion(ir, *call)) {
        call->replaceAllUsesWith(value);
        call->eraseFromParent();
      }
    }
  }
}

void mark_stores_of_three(llvm::Module& module) {
  llvm::SmallVector<llvm::StoreInst*, 8> stores;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store != nullptr && stores_three(*store)) stores.push_back(store);
    }
  }
  for (llvm::StoreInst* store : stores) {
    llvm::IRBuilder<> ir(store);
    Value* value = store->getValueOperand();
    Value* pointer = store->getPointerOperand();
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), {value->getType(), pointer->getType()}, false);
    // One declaration for each element type: names are made unique by LLVM where types differ.
    std::string name = kStoreOfThree;
    llvm::raw_string_ostream(name) << '.' << *value->getType()->getScalarType();
    llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
    auto* call = ir.CreateCall(callee, {value, pointer});
    call->setDoesNotThrow();
    store->eraseFromParent();
  }
}

}  // namespace skmd::compiler
