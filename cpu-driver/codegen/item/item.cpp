// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/item.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdint>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item_constants.h"
#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

constexpr const char* kNames[kItemValues] = {"dims",    "offset0", "offset1", "offset2", "size0",  "size1",  "size2",
                                             "groups0", "groups1", "groups2", "local0",  "local1", "local2", "group0",
                                             "group1",  "group2",  "first0",  "first1",  "first2", "x",      "y",
                                             "z",       "items",   "padded",  "row",     "locals", "frame"};

bool is_value(llvm::Type* type) { return type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy(); }

const char* obstacle_of(const llvm::Argument& argument) {
  llvm::Type* type = argument.getType();
  if (llvm::isa<llvm::TargetExtType>(type)) return "it takes a pipe or an image of an unknown kind";
  return is_value(type) || type->isPointerTy() ? nullptr : "it takes an argument of an unknown kind";
}

llvm::FunctionType* item_type(const llvm::Function& kernel) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::SmallVector<llvm::Type*, 40> types(kernel.getFunctionType()->params());
  for (unsigned value = 0; value < kItemValues; ++value)
    types.push_back(value == kItems    ? llvm::PointerType::get(context, 0)
                    : value == kLocals ? llvm::PointerType::get(context, kLocalSpace)
                    : value == kFrame  ? llvm::PointerType::get(context, kConstantSpace)
                                       : static_cast<llvm::Type*>(llvm::Type::getInt64Ty(context)));
  return llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
}

// The work-item's own copy of a structure that the kernel was given.
llvm::Value* copy_of(const llvm::Argument& argument, llvm::Argument& given, llvm::IRBuilder<>& ir) {
  const llvm::DataLayout& layout = argument.getParent()->getParent()->getDataLayout();
  llvm::Type* type = argument.getParamByValType();
  llvm::AllocaInst* copy = ir.CreateAlloca(type);
  copy->setAlignment(argument.getParamAlign().valueOrOne());
  ir.CreateMemCpy(copy, copy->getAlign(), &given, llvm::Align(1), layout.getTypeAllocSize(type));
  return copy;
}

}  // namespace

domain::Result<llvm::Function*> make_item_function(llvm::Function& kernel, const std::string& name) {
  for (const llvm::Argument& argument : kernel.args())
    if (const char* obstacle = obstacle_of(argument)) return domain::Error{0, obstacle};
  llvm::Function* item =
      llvm::Function::Create(item_type(kernel), llvm::GlobalValue::InternalLinkage, name, *kernel.getParent());
  item->setDoesNotThrow();
  item->addFnAttr(kItem);
  item->addFnAttr("no-builtins");  // a call of memset has nowhere to go
  auto* entry = llvm::BasicBlock::Create(kernel.getContext(), "entry", item);
  llvm::IRBuilder<> ir(entry);
  llvm::ValueToValueMapTy map;
  for (const llvm::Argument& argument : kernel.args()) {
    llvm::Argument* given = item->getArg(argument.getArgNo());
    given->setName(argument.getName());
    map[&argument] = argument.hasByValAttr() ? copy_of(argument, *given, ir) : static_cast<llvm::Value*>(given);
  }
  const auto arguments = static_cast<unsigned>(kernel.arg_size());
  for (unsigned value = 0; value < kItemValues; ++value) item->getArg(arguments + value)->setName(kNames[value]);
  item->addParamAttr(arguments + kLocalId, llvm::Attribute::get(kernel.getContext(), kLane));
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::BasicBlock* before = &item->back();
  // Attributes of the kernel's parameters are not taken over: what another work-item writes to a restricted pointer
  // shows behind a barrier.
  const llvm::AttributeList own = item->getAttributes();
  llvm::CloneFunctionInto(item, &kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  item->setAttributes(own);
  item->setCallingConv(llvm::CallingConv::C);
  item->setLinkage(llvm::GlobalValue::InternalLinkage);
  item->clearMetadata();
  ir.SetInsertPoint(before);
  ir.CreateBr(before->getNextNode());
  llvm::BasicBlock* body = before->getNextNode();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(*body))
    if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(before->getFirstInsertionPt());
  return item;
}

std::array<std::uint64_t, 3> required_local_size(const llvm::Function& kernel) {
  std::array<std::uint64_t, 3> sizes{};
  const llvm::MDNode* node = kernel.getMetadata("reqd_work_group_size");
  if (node == nullptr || node->getNumOperands() != sizes.size()) return sizes;
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (const auto* size = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(d)))
      sizes[d] = size->getZExtValue();
  return sizes;
}

domain::Result<std::uint64_t> place_local_variables(llvm::Function& item, unsigned arguments) {
  const llvm::Module& module = *item.getParent();
  llvm::SmallVector<llvm::Constant*, 8> variables;
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kLocalSpace) variables.push_back(const_cast<llvm::GlobalVariable*>(&variable));
  llvm::convertUsersOfConstantsToInstructions(variables, &item);
  std::uint64_t bytes = 0;
  llvm::IRBuilder<> ir(&*item.getEntryBlock().getFirstInsertionPt());
  for (llvm::Constant* variable : variables) {
    const auto inside = [&](const llvm::Use& use) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return instruction != nullptr && instruction->getFunction() == &item;
    };
    if (llvm::none_of(variable->uses(), inside)) continue;
    llvm::Type* type = llvm::cast<llvm::GlobalVariable>(variable)->getValueType();
    bytes = llvm::alignTo(bytes, cpu::kScratchAlignment);
    llvm::Value* place = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), item_value(item, arguments, kLocals), bytes);
    if (!llvm::isa<llvm::Instruction>(place)) place = item_value(item, arguments, kLocals);
    variable->replaceUsesWithIf(place, [&](llvm::Use& use) { return inside(use); });
    bytes += module.getDataLayout().getTypeAllocSize(type);
    if (bytes > tuning::kMaxLocalBytes) return domain::Error{0, "its local variables are too large"};
  }
  return bytes;
}

std::uint64_t variables_of(llvm::Function& function) {
  std::uint64_t bytes = 0;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (const auto size = variable->getAllocationSize(function.getDataLayout())) bytes += size->getKnownMinValue();
  return bytes;
}

bool is_of_item(const llvm::Loop* loop) {
  return loop != nullptr && llvm::findOptionMDForLoop(loop, kItemsLoop) == nullptr;
}

}  // namespace skmd::codegen
