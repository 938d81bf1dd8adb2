// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/sparse.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdint>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/loops/first_place.h"
#include "cpu-driver/codegen/loops/loops_constants.h"

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
    if (load != nullptr && load->getPointerAddressSpace() != kPrivateSpace && differing.contains(load))
      found.insert(load);
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

bool is_sparse(const llvm::Loop& loop, const Values& told) {
  unsigned work = 0;
  unsigned accesses = 0;
  bool writes = false;
  for (const BasicBlock* block : loop.blocks()) {
    for (const Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      work += call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::not_intrinsic ? tuning::kWorkOfCall : 1;
      const Value* place = place_of(instruction);
      if (place == nullptr || place->getType()->getPointerAddressSpace() == kPrivateSpace || !told.contains(place))
        continue;
      ++accesses;
      writes = writes || instruction.mayWriteToMemory();
    }
  }
  // Loads alone are gathered well enough.
  return writes && work <= accesses * tuning::kWorkOfAccess;
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
  types.append(2, llvm::PointerType::get(item.getContext(), 0));
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
    flag_ = ir.CreatePHI(ir.getInt8Ty(), 4, "flag");
    place_ = ir.CreatePHI(ir.getInt64Ty(), 4, "place");
    Value* lane = ir.CreateZExtOrTrunc(argument_with(made_, kLane), ir.getInt64Ty());
    ir.CreateStore(flag_, ir.CreatePtrAdd(made_.getArg(made_.arg_size() - 2), lane));
    llvm::SmallVector<BasicBlock*, 16> quiet;
    llvm::SmallVector<BasicBlock*, 16> busy;
    llvm::DenseMap<BasicBlock*, Value*> places;
    sort(quiet, busy, places);
    if (!places.empty())
      ir.CreateStore(place_, ir.CreateGEP(ir.getInt64Ty(), made_.getArg(made_.arg_size() - 1), lane));
    ir.CreateRetVoid();
    for (BasicBlock* block : busy) empty(*block);
    for (BasicBlock* block : busy) end(*block, 1, places.lookup(block));
    for (BasicBlock* block : quiet)
      if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) end(*block, 0, nullptr);
    if (places.empty()) place_->eraseFromParent();
    tells_places_ = !places.empty();
    llvm::EliminateUnreachableBlocks(made_, nullptr, /*KeepOneInputPHIs=*/true);
    return llvm::any_of(flag_->incoming_values(),
                        [](const llvm::Use& value) { return llvm::cast<llvm::ConstantInt>(value.get())->isZero(); });
  }

  llvm::Function& made() { return made_; }
  bool tells_places() const { return tells_places_; }

 private:
  // `places`: what the loops that begin in busy blocks will read first.
  void sort(llvm::SmallVectorImpl<BasicBlock*>& quiet, llvm::SmallVectorImpl<BasicBlock*>& busy,
            llvm::DenseMap<BasicBlock*, Value*>& places) {
    const llvm::DominatorTree dominators(made_);
    const llvm::LoopInfo loops(dominators);
    for (BasicBlock& block : made_)
      if (&block != done_) (is_quiet(block, loops) ? quiet : busy).push_back(&block);
    const Values told = of_memory(made_, of_lanes(made_));
    for (const llvm::Loop* loop : loops) {
      const BasicBlock* before = loop->getLoopPreheader();
      if (before == nullptr || !llvm::is_contained(quiet, before)) continue;
      if (Value* place = first_place(*loop, loops, dominators, told)) places[loop->getHeader()] = place;
    }
  }

  static void empty(BasicBlock& block) {
    for (BasicBlock* next : llvm::successors(&block)) next->removePredecessor(&block, true);
    while (!block.empty()) {
      block.back().replaceAllUsesWith(llvm::PoisonValue::get(block.back().getType()));
      block.back().eraseFromParent();
    }
  }

  void end(BasicBlock& block, std::uint8_t flag, Value* place) {
    if (!block.empty()) block.getTerminator()->eraseFromParent();
    llvm::IRBuilder<> ir(&block);
    ir.CreateBr(done_);
    flag_->addIncoming(ir.getInt8(flag), &block);
    place_->addIncoming(place != nullptr ? place : ir.getInt64(0), &block);
  }

  llvm::Function& made_;
  BasicBlock* done_;
  llvm::PHINode* flag_ = nullptr;
  llvm::PHINode* place_ = nullptr;
  bool tells_places_ = false;
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

Choice make_chooser(llvm::Function& item) {
  if (!item.getReturnType()->isVoidTy()) return {};
  Chooser chooser(item);
  if (chooser.run()) return {&chooser.made(), chooser.tells_places()};
  chooser.made().eraseFromParent();
  return {};
}

}  // namespace skmd::codegen
