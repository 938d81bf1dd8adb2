// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/first_place.h"

#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/loops/loops_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

class FirstTurn {
 public:
  FirstTurn(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators)
      : loop_(loop), loops_(loops), dominators_(dominators), end_(*loop.getLoopPreheader()->getTerminator()) {}

  // What `value` is in the first turn, in terms of what is known in front of the loop. Null: only the loop can tell.
  Value* at_entry(Value* value) { return at_entry(value, tuning::kMaxFirstPlace); }

 private:
  Value* at_entry(Value* value, unsigned left) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || dominators_.dominates(instruction, &end_)) return value;
    if (left == 0 || !loop_.contains(instruction)) return nullptr;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) return at_entry(*phi, left - 1);
    if (instruction->mayReadOrWriteMemory() || instruction->isIntDivRem() ||
        !llvm::isSafeToSpeculativelyExecute(instruction))
      return nullptr;
    llvm::SmallVector<Value*, 4> operands;
    for (Value* operand : instruction->operand_values()) {
      operands.push_back(at_entry(operand, left - 1));
      if (operands.back() == nullptr) return nullptr;
    }
    Instruction* copy = instruction->clone();
    for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
    copy->dropPoisonGeneratingAnnotations();
    copy->insertBefore(end_.getIterator());
    return copy;
  }

  Value* at_entry(llvm::PHINode& phi, unsigned left) {
    const llvm::Loop* of = loops_.getLoopFor(phi.getParent());
    const llvm::BasicBlock* before = of->getHeader() == phi.getParent() ? of->getLoopPreheader() : nullptr;
    return before == nullptr ? nullptr : at_entry(phi.getIncomingValueForBlock(before), left);
  }

  const llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  Instruction& end_;
};

}  // namespace

Value* first_place(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                   const llvm::SmallPtrSetImpl<const Value*>& told) {
  if (loop.getLoopPreheader() == nullptr) return nullptr;
  FirstTurn turn(loop, loops, dominators);
  llvm::LoopBlocksRPO blocks(const_cast<llvm::Loop*>(&loop));
  blocks.perform(&loops);
  for (llvm::BasicBlock* block : blocks)
    for (Instruction& instruction : *block) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || load->getPointerAddressSpace() != kGlobalSpace ||
          !told.contains(load->getPointerOperand()))
        continue;
      Value* place = turn.at_entry(load->getPointerOperand());
      if (place == nullptr) continue;
      llvm::IRBuilder<> ir(loop.getLoopPreheader()->getTerminator());
      return ir.CreatePtrToInt(place, ir.getInt64Ty());
    }
  return nullptr;
}

}  // namespace skmd::codegen
