// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/unit_factors.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/loops/loops_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;
using Values = llvm::SmallPtrSet<const Value*, 32>;

// What is computed from `value`, but not what is loaded from places that are.
Values computed_from(const Value& value) {
  Values found{&value};
  llvm::SmallVector<const Value*, 16> open{&value};
  while (!open.empty())
    for (const llvm::User* user : open.pop_back_val()->users())
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::CallBase>(user) && found.insert(user).second)
        open.push_back(user);
  return found;
}

bool tells_places(const Value& value) {
  return llvm::any_of(computed_from(value), [](const Value* each) {
    return llvm::any_of(each->users(),
                        [&](const llvm::User* user) { return llvm::getLoadStorePointerOperand(user) == each; });
  });
}

/// The parameter that `value` is, extended or not.
llvm::Argument* parameter(Value* value) {
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(value)) value = llvm::cast<Instruction>(value)->getOperand(0);
  return llvm::dyn_cast<llvm::Argument>(value);
}

/// Null if there is none.
llvm::Argument* common_factor(llvm::Function& item, const llvm::Argument& lane) {
  const Values lanes = computed_from(lane);
  llvm::MapVector<llvm::Argument*, unsigned> counts;
  for (llvm::BasicBlock& block : item)
    for (Instruction& instruction : block) {
      if (instruction.getOpcode() != Instruction::Mul) continue;
      for (const unsigned at : {0U, 1U}) {
        llvm::Argument* factor = parameter(instruction.getOperand(at));
        if (factor == nullptr || !factor->getType()->isIntegerTy() || factor == &lane ||
            lanes.contains(instruction.getOperand(at)) || !lanes.contains(instruction.getOperand(1 - at)) ||
            !tells_places(instruction))
          continue;
        ++counts[factor];
      }
    }
  const auto* most = llvm::max_element(counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? nullptr : most->first;
}

void keep_variables_in_front(llvm::BasicBlock& front, llvm::BasicBlock& entry) {
  for (Instruction& instruction : llvm::make_early_inc_range(entry))
    if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(front, front.end());
}

}  // namespace

bool version_unit_factor(llvm::Function& item) {
  const llvm::Argument* lane = argument_with(item, kLane);
  if (lane == nullptr || item.getInstructionCount() > tuning::kMaxUnitInstructions) return false;
  llvm::Argument* factor = common_factor(item, *lane);
  if (factor == nullptr) return false;
  llvm::SmallVector<llvm::BasicBlock*, 16> blocks;
  for (llvm::BasicBlock& block : item) blocks.push_back(&block);
  auto* front = llvm::BasicBlock::Create(item.getContext(), "factor", &item, blocks.front());
  keep_variables_in_front(*front, *blocks.front());
  llvm::ValueToValueMapTy map;
  map[factor] = llvm::ConstantInt::get(factor->getType(), 1);
  llvm::SmallVector<llvm::BasicBlock*, 16> copies;
  for (llvm::BasicBlock* block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, ".unit", &item));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
  llvm::IRBuilder<> builder(front);
  builder.CreateCondBr(builder.CreateICmpEQ(factor, llvm::ConstantInt::get(factor->getType(), 1)), copies.front(),
                       blocks.front());
  return true;
}

}  // namespace skmd::codegen
