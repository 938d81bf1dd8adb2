// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/markers.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Module.h>

#include "cpu-driver/codegen/item_function.h"

namespace skmd::codegen {

namespace {

using llvm::Type;
using llvm::Value;

constexpr unsigned kKeptMetadata[] = {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope,
                                      llvm::LLVMContext::MD_noalias, llvm::LLVMContext::MD_access_group,
                                      llvm::LLVMContext::MD_tbaa_struct};

std::string short_name(const Type& type) {
  std::string name;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type))
    return "v" + llvm::utostr(vector->getNumElements()) + short_name(*vector->getElementType());
  if (type.isPointerTy()) return "p" + llvm::utostr(type.getPointerAddressSpace());
  if (type.isIntegerTy()) return "i" + llvm::utostr(type.getIntegerBitWidth());
  if (type.isFloatingPointTy() && !type.isBFloatTy()) return "f" + llvm::utostr(type.getPrimitiveSizeInBits());
  llvm::raw_string_ostream(name) << type;
  return name;
}

llvm::Function* declare(llvm::Module& module, const llvm::Twine& name, Type* result, llvm::ArrayRef<Type*> parameters) {
  auto* function = llvm::cast<llvm::Function>(
      module.getOrInsertFunction(name.str(), llvm::FunctionType::get(result, parameters, false)).getCallee());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->addFnAttr(llvm::Attribute::NoFree);
  function->addFnAttr(llvm::Attribute::NoCallback);
  return function;
}

std::string suffix(const Type& type, const Value& pointer) {
  return short_name(type) + "." + short_name(*pointer.getType());
}

void replace(llvm::Instruction& instruction, llvm::CallInst& call) {
  call.setDebugLoc(instruction.getDebugLoc());
  if (!instruction.getType()->isVoidTy()) call.takeName(&instruction);
  instruction.replaceAllUsesWith(&call);
  instruction.eraseFromParent();
}

// Strong exchanges only: then the old value tells whether it was exchanged.
void split_result(llvm::AtomicCmpXchgInst& exchange, Value& old) {
  for (llvm::User* user : exchange.users()) {
    auto* part = llvm::cast<llvm::ExtractValueInst>(user);
    llvm::IRBuilder<> ir(part);
    part->replaceAllUsesWith(part->getIndices()[0] == 0 ? &old : ir.CreateICmpEQ(&old, exchange.getCompareOperand()));
  }
  exchange.replaceAllUsesWith(llvm::PoisonValue::get(exchange.getType()));
}

}  // namespace

Value* ask_any(llvm::IRBuilderBase& ir, Value& condition) {
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  llvm::Function* any = declare(module, kAny, ir.getInt1Ty(), ir.getInt1Ty());
  any->setDoesNotAccessMemory();
  return ir.CreateCall(any, &condition);
}

void mark_load(llvm::LoadInst& load, Value& mask) {
  Value* pointer = load.getPointerOperand();
  Type* type = load.getType();
  llvm::Function* marker =
      declare(*load.getModule(), kLoadPrefix + suffix(*type, *pointer), type, {pointer->getType(), mask.getType()});
  marker->setOnlyAccessesArgMemory();
  marker->setOnlyReadsMemory();
  llvm::CallInst* call = llvm::IRBuilder<>(&load).CreateCall(marker, {pointer, &mask});
  call->addParamAttr(0, llvm::Attribute::getWithAlignment(load.getContext(), load.getAlign()));
  call->copyMetadata(load, kKeptMetadata);
  replace(load, *call);
}

void mark_store(llvm::StoreInst& store, Value& mask) {
  Value* pointer = store.getPointerOperand();
  Value* value = store.getValueOperand();
  llvm::Function* marker =
      declare(*store.getModule(), kStorePrefix + suffix(*value->getType(), *pointer),
              Type::getVoidTy(store.getContext()), {value->getType(), pointer->getType(), mask.getType()});
  marker->setOnlyAccessesArgMemory();
  marker->setOnlyWritesMemory();
  llvm::CallInst* call = llvm::IRBuilder<>(&store).CreateCall(marker, {value, pointer, &mask});
  call->addParamAttr(1, llvm::Attribute::getWithAlignment(store.getContext(), store.getAlign()));
  call->copyMetadata(store, kKeptMetadata);
  replace(store, *call);
}

void run_each(llvm::Instruction& instruction, Value& mask) {
  llvm::Module& module = *instruction.getModule();
  auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  llvm::SmallVector<Value*, 4> operands;
  llvm::SmallVector<Type*, 4> types;
  llvm::SmallVector<unsigned, 4> places;
  for (llvm::Use& use : instruction.operands()) {
    if (llvm::isa<llvm::Constant>(use) || use->getType()->isMetadataTy()) continue;
    places.push_back(use.getOperandNo());
    operands.push_back(use);
    types.push_back(use->getType());
  }
  Type* result = exchange != nullptr ? exchange->getCompareOperand()->getType() : instruction.getType();
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                          llvm::GlobalValue::InternalLinkage, kEachPrefix + "0", module);
  function->addFnAttr(llvm::Attribute::NoInline);
  auto* block = llvm::BasicBlock::Create(module.getContext(), "", function);
  llvm::Instruction* copy = instruction.clone();
  copy->setDebugLoc({});
  llvm::IRBuilder<> inside(block);
  inside.Insert(copy);
  for (unsigned i = 0; i < places.size(); ++i) copy->setOperand(places[i], function->getArg(i));
  if (exchange != nullptr) {
    llvm::cast<llvm::AtomicCmpXchgInst>(copy)->setWeak(false);
    inside.CreateRet(inside.CreateExtractValue(copy, 0));
  } else if (result->isVoidTy()) {
    inside.CreateRetVoid();
  } else {
    inside.CreateRet(copy);
  }
  llvm::IRBuilder<> ir(&instruction);
  const llvm::OperandBundleDef bundle(kMaskBundle.str(), &mask);
  llvm::CallInst* call = ir.CreateCall(function, operands, bundle);
  if (exchange == nullptr) return replace(instruction, *call);
  split_result(*exchange, *call);
  call->setDebugLoc(instruction.getDebugLoc());
  instruction.eraseFromParent();
}

void add_mask(llvm::CallInst& call, Value& mask) {
  const llvm::OperandBundleDef bundle(kMaskBundle.str(), &mask);
  llvm::SmallVector<llvm::OperandBundleDef, 2> bundles;
  call.getOperandBundlesAsDefs(bundles);
  bundles.push_back(bundle);
  llvm::CallInst* masked = llvm::CallInst::Create(&call, bundles, call.getIterator());
  masked->takeName(&call);
  call.replaceAllUsesWith(masked);
  call.eraseFromParent();
}

}  // namespace skmd::codegen
