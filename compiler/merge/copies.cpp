// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/copies.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr std::uint64_t kWord = 8;  // bytes that are copied at once

}  // namespace

Value* Copies::limit_of(Value* size, std::uint64_t width) {
  Value*& limit = limits_[{size, width}];
  if (limit == nullptr) {
    IRBuilder<> ir(&entry_);
    Value* rest = ir.CreateSub(size, ir.getInt64(width - 1));
    limit = ir.CreateSelect(ir.CreateICmpUGE(size, ir.getInt64(width)), rest, ir.getInt64(0));
  }
  return limit;
}

void Copies::copy_element(IRBuilder<>& ir, const BufferValues& place, Value* offset, const Stored& stored) const {
  Value* from = ir.CreateAdd(place.result, offset);
  Value* to = ir.CreateAdd(place.bytes, offset);
  // Elements behind the first are where their width puts them.
  const std::uint64_t known = std::min(stored.alignment, stored.width & (~stored.width + 1));
  const std::uint64_t most = style_.aligned ? std::min(kWord, known) : kWord;
  const llvm::Align alignment(style_.aligned ? most : 1);
  for (std::uint64_t done = 0; done < stored.width;) {
    std::uint64_t piece = most;
    while (piece > stored.width - done) piece /= 2;
    llvm::Type* type = ir.getIntNTy(static_cast<unsigned>(piece * 8));
    const auto address = [&](Value* start) {
      return ir.CreateIntToPtr(ir.CreateAdd(start, ir.getInt64(done)), ir.getPtrTy(style_.space));
    };
    // A whole piece at a time: elements that two work-items race for are one's or the other's, never both.
    ir.CreateAlignedStore(ir.CreateAlignedLoad(type, address(from), alignment), address(to), alignment);
    done += piece;
  }
}

void Copies::copy_inside(const BufferValues& place, Value* offset, const Stored& stored, llvm::Instruction& before) {
  IRBuilder<> ir(&before);
  Value* fits = ir.CreateICmpULT(offset, limit_of(place.size, stored.width));
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(fits, &before, false);
  ir.SetInsertPoint(then);
  copy_element(ir, place, offset, stored);
}

void Copies::copy_each(const BufferValues& place, const Stored& stored, llvm::Instruction& before) {
  llvm::BasicBlock* head = before.getParent();
  llvm::BasicBlock* after = llvm::SplitBlock(head, &before);
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(head->getContext(), "each", head->getParent(), after);
  IRBuilder<> ir(head->getTerminator());
  ir.CreateCondBr(ir.CreateICmpNE(stored.count, ir.getInt64(0)), loop, after);
  head->getTerminator()->eraseFromParent();
  ir.SetInsertPoint(loop);
  llvm::PHINode* index = ir.CreatePHI(ir.getInt64Ty(), 2);
  index->addIncoming(ir.getInt64(0), head);
  Value* place_of = ir.CreateAdd(stored.offset, ir.CreateMul(index, ir.getInt64(stored.width)));
  Value* next = ir.CreateAdd(index, ir.getInt64(1));
  llvm::BranchInst* back = ir.CreateCondBr(ir.CreateICmpNE(next, stored.count), loop, after);
  copy_inside(place, place_of, stored, *back);
  index->addIncoming(next, back->getParent());
}

void Copies::copy(const BufferValues& place, const Stored& stored, llvm::Instruction& before) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(stored.count);
  if (constant != nullptr && constant->isOne()) return copy_inside(place, stored.offset, stored, before);
  copy_each(place, stored, before);
}

}  // namespace skmd::compiler
