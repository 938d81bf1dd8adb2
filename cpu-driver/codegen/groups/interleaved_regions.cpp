// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/groups/interleaved_regions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/groups/groups_constants.h"
#include "cpu-driver/codegen/item/item.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

bool is_local(const Value& value) {
  const auto* type = llvm::dyn_cast<llvm::PointerType>(value.getType());
  return type != nullptr && type->getAddressSpace() == kLocalSpace;
}

// A phi is taken for one: it may count.
bool depends_on_item(const Value& value, unsigned arguments, unsigned depth = 0) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    const unsigned number = argument->getArgNo();
    return number == arguments + kRow || (number >= arguments + kLocalId && number < arguments + kLocalId + 3);
  }
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (instruction == nullptr) return false;
  if (depth > tuning::kMaxIdDepth || instruction->mayReadFromMemory() ||
      llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction))
    return true;
  return llvm::any_of(instruction->operands(),
                      [&](const llvm::Use& operand) { return depends_on_item(*operand.get(), arguments, depth + 1); });
}

// Addresses of local memory are added to, chosen among, and accessed; nothing else is done with them.
bool keeps_addresses(const Instruction& instruction) {
  const bool touches = is_local(instruction) || llvm::any_of(instruction.operands(), [](const llvm::Use& operand) {
                         return is_local(*operand.get());
                       });
  if (!touches) return true;
  if (llvm::any_of(instruction.operands(),
                   [](const llvm::Use& use) { return is_local(*use.get()) && llvm::isa<llvm::Constant>(use.get()); }))
    return false;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return !is_local(*store->getValueOperand());
  if (llvm::isa<llvm::LoadInst>(instruction)) return !is_local(instruction);
  return llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst>(instruction);
}

// Forms for one number and for vectors may differ in the last bits, of builtins and of what may be computed otherwise
// than it is written: a group's results would depend on how many run beside it.
bool is_exact(const Instruction& instruction) {
  if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return false;
  if (!llvm::isa<llvm::FPMathOperator>(instruction)) return true;
  const llvm::FastMathFlags flags = instruction.getFastMathFlags();
  return !flags.allowReassoc() && !flags.allowReciprocal() && !flags.allowContract() && !flags.approxFunc();
}

bool may_access(Instruction& instruction, unsigned arguments, unsigned element) {
  const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (pointer == nullptr) return !instruction.mayReadOrWriteMemory();
  if (!is_local(*pointer)) return !depends_on_item(*pointer, arguments);
  const llvm::Type* type = llvm::getLoadStoreType(&instruction);
  return type->isSingleValueType() && !type->isVectorTy() && !type->isPointerTy() &&
         instruction.getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(type)) == element &&
         llvm::getLoadStoreAlignment(&instruction) >= llvm::Align(element);
}

void limit(llvm::Function& item, unsigned argument, const llvm::ConstantRange& range) {
  item.addParamAttr(argument, llvm::Attribute::get(item.getContext(), llvm::Attribute::Range, range));
}

void place_lanes(llvm::Function& item, unsigned arguments, unsigned groups) {
  llvm::Argument* lane = item_value(item, arguments, kLocalId);
  llvm::Argument* number = item_value(item, arguments, kRow);
  lane->replaceAllUsesWith(number);
  if (const llvm::Attribute range = item.getAttributes().getParamAttr(lane->getArgNo(), llvm::Attribute::Range);
      range.isValid())
    limit(item, number->getArgNo(), range.getRange());
  limit(item, lane->getArgNo(), llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, groups)));
  llvm::IRBuilder<> ir(&*item.getEntryBlock().getFirstInsertionPt());
  const auto add = [&](unsigned value, Value* more) {
    llvm::Argument* given = item_value(item, arguments, value);
    Value* sum = ir.CreateAdd(given, more, "", true, true);
    given->replaceUsesWithIf(sum, [&](const llvm::Use& use) { return use.getUser() != sum; });
  };
  add(kFirst, ir.CreateMul(lane, item_value(item, arguments, kLocalSize), "", true, true));
  add(kGroup, lane);
}

void interleave_addresses(llvm::Function& item, unsigned arguments, unsigned groups, unsigned element) {
  llvm::IRBuilder<> ir(item.getContext());
  Value* lane = item_value(item, arguments, kLocalId);
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(item))) {
    ir.SetInsertPoint(&instruction);
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        address != nullptr && is_local(*address)) {
      Value* offset = llvm::emitGEPOffset(&ir, item.getDataLayout(), address, /*NoAssumptions=*/true);
      Value* interleaved = ir.CreatePtrAdd(address->getPointerOperand(), ir.CreateMul(offset, ir.getInt64(groups)));
      address->replaceAllUsesWith(interleaved);
      address->eraseFromParent();
    } else if (const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
               pointer != nullptr && is_local(*pointer)) {
      Value* own = ir.CreatePtrAdd(const_cast<Value*>(pointer), ir.CreateMul(lane, ir.getInt64(element)));
      instruction.replaceUsesOfWith(const_cast<Value*>(pointer), own);
      // More may have been known of the item's own.
      llvm::isa<llvm::LoadInst>(instruction)
          ? llvm::cast<llvm::LoadInst>(instruction).setAlignment(llvm::Align(element))
          : llvm::cast<llvm::StoreInst>(instruction).setAlignment(llvm::Align(element));
    }
  }
}

}  // namespace

bool can_interleave(llvm::Function& region, unsigned arguments, unsigned element) {
  return llvm::all_of(llvm::instructions(region), [&](Instruction& instruction) {
    return !llvm::isa<llvm::AllocaInst>(instruction) && is_exact(instruction) && keeps_addresses(instruction) &&
           may_access(instruction, arguments, element);
  });
}

llvm::Function* make_interleaved(llvm::Function& region, unsigned arguments, unsigned groups, unsigned element) {
  llvm::ValueToValueMapTy map;
  llvm::Function* interleaved = llvm::CloneFunction(&region, map);
  interleaved->setName(region.getName() + ".interleaved");
  place_lanes(*interleaved, arguments, groups);
  interleave_addresses(*interleaved, arguments, groups, element);
  return interleaved;
}

}  // namespace skmd::codegen
