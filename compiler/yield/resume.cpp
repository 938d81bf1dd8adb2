// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/resume.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace skmd::compiler {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

Resumption::Resumption(llvm::Function& kernel, BasicBlock& entry, const StateCode& state,
                       std::vector<PointEntry> points)
    : kernel_(kernel), entry_(entry), state_(state), points_(std::move(points)) {}

llvm::LoadInst* Resumption::run() {
  IRBuilder<> ir(&entry_, entry_.begin());
  resuming_ = ir.CreateAlloca(ir.getInt32Ty(), nullptr, "resuming");
  llvm::DominatorTree dominators(kernel_);
  llvm::LoopInfo loops(dominators);
  plan(loops);
  remember_phis();
  split_headers();
  demote();
  for (auto& [header, steps] : headers_) add_dispatch(*header, steps);
  llvm::LoadInst* point = add_entries();
  std::vector<llvm::AllocaInst*> variables{resuming_};
  for (const auto& [value, slot] : slots_) variables.push_back(slot);
  llvm::sort(variables, [](const llvm::AllocaInst* a, const llvm::AllocaInst* b) { return a->comesBefore(b); });
  dominators.recalculate(kernel_);
  llvm::PromoteMemToReg(variables, dominators);
  return point;
}

// The way to each point: from the outermost header of its loops to the innermost.
void Resumption::plan(llvm::LoopInfo& loops) {
  const auto add = [&](BasicBlock* header, const Step& step) {
    auto found = llvm::find_if(headers_, [&](const auto& other) { return other.first == header; });
    if (found == headers_.end()) found = headers_.insert(headers_.end(), {header, {}});
    found->second.push_back(step);
  };
  for (unsigned point = 0; point < points_.size(); ++point) {
    const PointBlocks& blocks = points_[point].blocks;
    BasicBlock* to = blocks.go_on;
    llvm::Loop* loop = loops.getLoopFor(blocks.go_on);
    if (blocks.header != nullptr) {
      // Its own loop is entered as from before, with what the point has behind it.
      to = blocks.header;
      loop = loop->getParentLoop();
    }
    for (; loop != nullptr; loop = loop->getParentLoop()) {
      add(loop->getHeader(), {point, to});
      to = loop->getHeader();
    }
    first_.push_back(to);
  }
}

void Resumption::remember_phis() {
  for (const PointEntry& point : points_) {
    phis_.emplace_back();
    if (point.blocks.header == nullptr) continue;
    for (llvm::PHINode& phi : point.blocks.header->phis())
      phis_.back().push_back({&phi, phi.getIncomingValueForBlock(point.blocks.go_on)});
  }
}

// Headers hold phis alone, and then send on: nothing that they compute stands in the way.
void Resumption::split_headers() {
  for (auto& [header, steps] : headers_) llvm::SplitBlock(header, header->getFirstNonPHIIt());
}

void Resumption::demote() {
  for (const PointEntry& point : points_)
    for (const Kept& kept : point.schema.kept) {
      if (llvm::isa<llvm::AllocaInst>(kept.value) || slots_.contains(kept.value)) continue;
      slots_[kept.value] = llvm::DemoteRegToStack(*kept.value, false, resuming_->getIterator());
    }
}

bool Resumption::is_last(const Step& step) const {
  const PointBlocks& blocks = points_[step.point].blocks;
  return step.to == (blocks.header != nullptr ? blocks.header : blocks.go_on);
}

Value* Resumption::now(IRBuilder<>& ir, Value& value) const {
  const auto found = slots_.find(&value);
  if (found == slots_.end()) return &value;
  return ir.CreateLoad(value.getType(), found->second);
}

// Where the point is reached and not before: what is live there alone would take registers in all loops on the way.
void Resumption::restore(IRBuilder<>& ir, unsigned point) {
  llvm::Instruction* end = ir.CreateUnreachable();
  ir.SetInsertPoint(end);
  for (const Kept& kept : points_[point].schema.kept)
    if (Value* value = state_.restore(ir, kept)) ir.CreateStore(value, slots_[kept.value]);
  ir.CreateStore(ir.getInt32(0), resuming_);
  BasicBlock* last = ir.GetInsertBlock();
  end->eraseFromParent();
  ir.SetInsertPoint(last);
}

// A branch at the end of `ir`'s block, with what the phis there have on this way.
void Resumption::go(IRBuilder<>& ir, const Step& step) {
  const PointBlocks& blocks = points_[step.point].blocks;
  if (is_last(step)) restore(ir, step.point);
  BasicBlock* from = ir.GetInsertBlock();
  if (blocks.header != nullptr && is_last(step)) {
    for (const Phi& phi : phis_[step.point]) phi.phi->addIncoming(now(ir, *phi.value), from);
  } else {
    for (llvm::PHINode& phi : step.to->phis()) phi.addIncoming(llvm::PoisonValue::get(phi.getType()), from);
  }
  ir.CreateBr(step.to);
}

void Resumption::add_dispatch(BasicBlock& header, llvm::ArrayRef<Step> steps) {
  BasicBlock* body = header.getSingleSuccessor();
  IRBuilder<> ir(header.getTerminator());
  Value* point = ir.CreateLoad(ir.getInt32Ty(), resuming_);
  // A branch of its own for those that begin an iteration: the others are rare.
  BasicBlock* inwards = BasicBlock::Create(kernel_.getContext(), "inwards", &kernel_, body);
  ir.CreateCondBr(ir.CreateICmpEQ(point, ir.getInt32(0)), body, inwards);
  header.getTerminator()->eraseFromParent();
  ir.SetInsertPoint(inwards);
  for (const Step& step : steps.drop_back()) {
    BasicBlock* way = BasicBlock::Create(kernel_.getContext(), "way", &kernel_, body);
    BasicBlock* other = BasicBlock::Create(kernel_.getContext(), "inwards", &kernel_, body);
    ir.CreateCondBr(ir.CreateICmpEQ(point, ir.getInt32(step.point + 1)), way, other);
    IRBuilder<> out(way);
    go(out, step);
    ir.SetInsertPoint(other);
  }
  go(ir, steps.back());
}

llvm::LoadInst* Resumption::add_entries() {
  BasicBlock* fresh = entry_.getSingleSuccessor();
  IRBuilder<> ir(entry_.getTerminator());
  ir.CreateStore(ir.getInt32(0), resuming_);
  llvm::LoadInst* point = state_.load_point(ir);
  BasicBlock* other = BasicBlock::Create(kernel_.getContext(), "resume", &kernel_);
  ir.CreateCondBr(ir.CreateICmpEQ(point, ir.getInt32(0)), fresh, other);
  entry_.getTerminator()->eraseFromParent();
  for (unsigned number = 0; number < points_.size(); ++number) {
    BasicBlock* begin = BasicBlock::Create(kernel_.getContext(), "restore", &kernel_);
    BasicBlock* next = BasicBlock::Create(kernel_.getContext(), "resume", &kernel_);
    ir.SetInsertPoint(other);
    ir.CreateCondBr(ir.CreateICmpEQ(point, ir.getInt32(number + 1)), begin, next);
    ir.SetInsertPoint(begin);
    ir.CreateStore(ir.getInt32(number + 1), resuming_);
    go(ir, {number, first_[number]});
    other = next;
  }
  ir.SetInsertPoint(other);
  ir.CreateRetVoid();
  return point;
}

}  // namespace skmd::compiler
