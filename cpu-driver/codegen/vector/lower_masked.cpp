// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/lower_masked.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/ModRef.h>

#include <string>

#include "cpu-driver/codegen/vector/blend.h"

namespace skmd::codegen {

namespace {

using llvm::CallInst;
using llvm::FixedVectorType;
using llvm::Value;

constexpr llvm::StringLiteral kLoad = "skmd.vector.load.";
constexpr llvm::StringLiteral kStore = "skmd.vector.store.";

std::string suffix(FixedVectorType& type, const Value& pointer) {
  llvm::Type* element = type.getElementType();
  std::string text = "v" + std::to_string(type.getNumElements());
  if (element->isPointerTy()) {
    text += "p" + std::to_string(element->getPointerAddressSpace());
  } else {
    text += element->isBFloatTy() ? "bf" : element->isIntegerTy() ? "i" : "f";
    text += std::to_string(element->getScalarSizeInBits());
  }
  return text + ".p" + std::to_string(pointer.getType()->getPointerAddressSpace());
}

llvm::Function* declared(llvm::Module& module, const std::string& name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Type*> parameters, llvm::ModRefInfo effect) {
  if (llvm::Function* function = module.getFunction(name)) return function;
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                          llvm::GlobalValue::ExternalLinkage, name, module);
  function->setMemoryEffects(llvm::MemoryEffects::argMemOnly(effect));
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(llvm::Attribute::NoCallback);
  return function;
}

void set_align(CallInst& call, unsigned argument, llvm::Align align) {
  call.addParamAttr(argument, llvm::Attribute::getWithAlignment(call.getContext(), align));
}

void lower_load(CallInst& call) {
  llvm::IRBuilder<> builder(&call);
  CallInst* load = builder.CreateMaskedLoad(call.getType(), call.getArgOperand(0), call.getParamAlign(0).valueOrOne(),
                                            call.getArgOperand(1));
  load->copyMetadata(call);
  load->takeName(&call);
  call.replaceAllUsesWith(load);
}

void lower_store(CallInst& call) {
  llvm::IRBuilder<> builder(&call);
  CallInst* store = builder.CreateMaskedStore(call.getArgOperand(0), call.getArgOperand(1),
                                              call.getParamAlign(1).valueOrOne(), call.getArgOperand(2));
  store->copyMetadata(call);
}

}  // namespace

CallInst* create_masked_load(llvm::IRBuilderBase& builder, FixedVectorType* type, Value* pointer, llvm::Align align,
                             Value* mask) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Function* function = declared(module, kLoad.str() + suffix(*type, *pointer), type,
                                      {pointer->getType(), mask->getType()}, llvm::ModRefInfo::Ref);
  CallInst* call = builder.CreateCall(function, {pointer, mask});
  set_align(*call, 0, align);
  return call;
}

CallInst* create_masked_store(llvm::IRBuilderBase& builder, Value* vector, Value* pointer, llvm::Align align,
                              Value* mask) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  auto* type = llvm::cast<FixedVectorType>(vector->getType());
  llvm::Function* function = declared(module, kStore.str() + suffix(*type, *pointer), builder.getVoidTy(),
                                      {type, pointer->getType(), mask->getType()}, llvm::ModRefInfo::Mod);
  CallInst* call = builder.CreateCall(function, {vector, pointer, mask});
  set_align(*call, 1, align);
  return call;
}

std::optional<MaskedAccess> masked_access(llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<CallInst>(&instruction);
  const llvm::Function* function = call == nullptr ? nullptr : call->getCalledFunction();
  if (function == nullptr) return std::nullopt;
  if (function->getName().starts_with(kLoad))
    return MaskedAccess{llvm::cast<FixedVectorType>(call->getType()), call->getArgOperand(0), nullptr,
                        call->getArgOperand(1), call->getParamAlign(0).valueOrOne()};
  if (!function->getName().starts_with(kStore)) return std::nullopt;
  return MaskedAccess{llvm::cast<FixedVectorType>(call->getArgOperand(0)->getType()), call->getArgOperand(1),
                      call->getArgOperand(0), call->getArgOperand(2), call->getParamAlign(1).valueOrOne()};
}

bool lower_masked(llvm::Module& module, Isa isa) {
  bool changed = false;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const bool load = function.getName().starts_with(kLoad);
    if (!load && !function.getName().starts_with(kStore)) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &function) continue;
      if (!access_whole(*call, *masked_access(*call), isa)) load ? lower_load(*call) : lower_store(*call);
      call->eraseFromParent();
    }
    if (function.use_empty()) function.eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace skmd::codegen
