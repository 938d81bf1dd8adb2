// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/sparse.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdint>

#include "cpu-driver/codegen/item_function.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
using Values = llvm::SmallPtrSet<const Value*, 32>;

// `seeds` and what is computed of them. Not what they decide: loops are found that differ by their counts.
void follow(llvm::Function& item, Values& found) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : llvm::instructions(item))
      if (!found.contains(&instruction) &&
          llvm::any_of(instruction.operands(), [&](const llvm::Use& use) { return found.contains(use.get()); }))
        changed = found.insert(&instruction).second;
  }
}

// What differs from item to item.
Values of_lanes(llvm::Function& item) {
  Values found{argument_with(item, kLane)};
  follow(item, found);
  return found;
}

// What differs because memory says so.
Values of_memory(llvm::Function& item, const Values& differing) {
  Values found;
  for (const Instruction& instruction : llvm::instructions(item)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr && load->getPointerAddressSpace() != 0 && differing.contains(load)) found.insert(load);
  }
  follow(item, found);
  return found;
}

const Value* place_of(const Instruction& access) {
  if (const Value* place = llvm::getLoadStorePointerOperand(&access)) return place;
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access)) return update->getPointerOperand();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access)) return exchange->getPointerOperand();
  return nullptr;
}

bool ends_vary(const llvm::Loop& loop, const Values& differing) {
  llvm::SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  return llvm::any_of(exiting, [&](const BasicBlock* block) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    return branch != nullptr && branch->isConditional() && differing.contains(branch->getCondition());
  });
}

// For every access that finds its own place, a processor does about this much besides while it waits.
constexpr unsigned kWorkOfAccess = 8;
constexpr unsigned kWorkOfCall = 20;

bool is_sparse(const llvm::Loop& loop, const Values& told) {
  unsigned work = 0;
  unsigned accesses = 0;
  bool writes = false;
  for (const BasicBlock* block : loop.blocks()) {
    for (const Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      work += call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::not_intrinsic ? kWorkOfCall : 1;
      const Value* place = place_of(instruction);
      if (place == nullptr || place->getType()->getPointerAddressSpace() == 0 || !told.contains(place)) continue;
      ++accesses;
      writes = writes || instruction.mayWriteToMemory();
    }
  }
  // Loads alone are gathered well enough.
  return writes && work <= accesses * kWorkOfAccess;
}

// Nothing but reading, once.
bool is_quiet(const BasicBlock& block, const llvm::LoopInfo& loops) {
  return loops.getLoopFor(&block) == nullptr && llvm::none_of(block, [](const Instruction& instruction) {
           const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
           return instruction.mayHaveSideEffects() || (load != nullptr && !load->isSimple()) ||
                  llvm::isa<llvm::AllocaInst>(instruction);
         });
}

llvm::Function* clone_with_flags(llvm::Function& item) {
  llvm::SmallVector<llvm::Type*, 48> types(item.getFunctionType()->params());
  types.push_back(llvm::PointerType::get(item.getContext(), 0));
  auto* type = llvm::FunctionType::get(item.getReturnType(), types, false);
  auto* made = llvm::Function::Create(type, item.getLinkage(), item.getAddressSpace(), item.getName() + ".choose",
                                      item.getParent());
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& argument : item.args()) map[&argument] = made->getArg(argument.getArgNo());
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(made, &item, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  return made;
}

class Chooser {
 public:
  explicit Chooser(llvm::Function& item)
      : made_(*clone_with_flags(item)), done_(BasicBlock::Create(made_.getContext(), "done", &made_)) {}

  // Whether there is anything to choose.
  bool run() {
    llvm::IRBuilder<> ir(done_);
    llvm::PHINode* flag = ir.CreatePHI(ir.getInt8Ty(), 4, "flag");
    Value* flags = made_.getArg(made_.arg_size() - 1);
    ir.CreateStore(flag, ir.CreatePtrAdd(flags, ir.CreateZExtOrTrunc(argument_with(made_, kLane), ir.getInt64Ty())));
    ir.CreateRetVoid();
    llvm::SmallVector<BasicBlock*, 16> quiet;
    llvm::SmallVector<BasicBlock*, 16> busy;
    sort(quiet, busy);
    for (BasicBlock* block : busy) empty(*block);
    for (BasicBlock* block : busy) end(*block, *flag, 1);
    for (BasicBlock* block : quiet)
      if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) end(*block, *flag, 0);
    llvm::EliminateUnreachableBlocks(made_, nullptr, /*KeepOneInputPHIs=*/true);
    return llvm::any_of(flag->incoming_values(),
                        [](const llvm::Use& value) { return llvm::cast<llvm::ConstantInt>(value.get())->isZero(); });
  }

  llvm::Function& made() { return made_; }

 private:
  void sort(llvm::SmallVectorImpl<BasicBlock*>& quiet, llvm::SmallVectorImpl<BasicBlock*>& busy) {
    const llvm::DominatorTree dominators(made_);
    const llvm::LoopInfo loops(dominators);
    for (BasicBlock& block : made_)
      if (&block != done_) (is_quiet(block, loops) ? quiet : busy).push_back(&block);
  }

  static void empty(BasicBlock& block) {
    for (BasicBlock* next : llvm::successors(&block)) next->removePredecessor(&block, true);
    while (!block.empty()) {
      block.back().replaceAllUsesWith(llvm::PoisonValue::get(block.back().getType()));
      block.back().eraseFromParent();
    }
  }

  static void end(BasicBlock& block, llvm::PHINode& flag, std::uint8_t value) {
    if (!block.empty()) block.getTerminator()->eraseFromParent();
    llvm::IRBuilder<> ir(&block);
    ir.CreateBr(flag.getParent());
    flag.addIncoming(ir.getInt8(value), &block);
  }

  llvm::Function& made_;
  BasicBlock* done_;
};

}  // namespace

bool is_sparse(llvm::Function& item) {
  const llvm::DominatorTree dominators(item);
  const llvm::LoopInfo loops(dominators);
  if (loops.empty()) return false;
  const Values differing = of_lanes(item);
  const Values told = of_memory(item, differing);
  return llvm::any_of(loops.getLoopsInPreorder(), [&](const llvm::Loop* loop) {
    return loop->isInnermost() && ends_vary(*loop, differing) && is_sparse(*loop, told);
  });
}

llvm::Function* make_chooser(llvm::Function& item) {
  if (!item.getReturnType()->isVoidTy()) return nullptr;
  Chooser chooser(item);
  if (chooser.run()) return &chooser.made();
  chooser.made().eraseFromParent();
  return nullptr;
}

}  // namespace skmd::codegen
