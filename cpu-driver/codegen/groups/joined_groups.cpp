// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/groups/joined_groups.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/groups/group.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/own_builtins.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Value;

bool is_sum_with(const llvm::User* user, const Value* other) {
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(user);
  return sum != nullptr && sum->getOpcode() == llvm::Instruction::Add &&
         (sum->getOperand(0) == other || sum->getOperand(1) == other);
}

bool is_ordered(const llvm::Instruction& instruction) {
  if (instruction.isAtomic() || instruction.isVolatile()) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName() == kBarrier;
}

class Joiner {
 public:
  Joiner(const std::string& symbol, llvm::Function& rows)
      : rows_(rows),
        made_(declare_kernel(*rows.getParent(), symbol)),
        entry_(BasicBlock::Create(made_->getContext(), "entry", made_)),
        ir_(entry_) {}

  llvm::Function* build() {
    Value* first = made_->getArg(1);
    Value* last = made_->getArg(2);
    copy_frame();
    Value* offset = ir_.CreateLoad(ir_.getInt64Ty(), field(offsetof(cpu::SpanFrame, global_offset)));
    Value* groups = ir_.CreateLoad(ir_.getInt64Ty(), field(offsetof(cpu::SpanFrame, group_count)));
    Value* items = ir_.CreateLoad(ir_.getInt64Ty(), field(offsetof(cpu::SpanFrame, local_size)));
    ir_.CreateStore(ir_.getInt64(1), field(offsetof(cpu::SpanFrame, group_count)));
    auto* body = BasicBlock::Create(made_->getContext(), "row", made_);
    auto* exit = BasicBlock::Create(made_->getContext(), "exit", made_);
    ir_.CreateCondBr(ir_.CreateICmpULT(first, last), body, exit);
    ir_.SetInsertPoint(body);
    llvm::PHINode* group = ir_.CreatePHI(ir_.getInt64Ty(), 2);
    group->addIncoming(first, entry_);
    Value* row = ir_.CreateUDiv(group, groups);
    Value* x = ir_.CreateURem(group, groups);
    Value* count =
        ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir_.CreateSub(groups, x), ir_.CreateSub(last, group));
    ir_.CreateStore(ir_.CreateMul(count, items), field(offsetof(cpu::SpanFrame, local_size)));
    ir_.CreateStore(ir_.CreateAdd(offset, ir_.CreateMul(x, items)), field(offsetof(cpu::SpanFrame, global_offset)));
    ir_.CreateCall(&rows_, {frame_, row, ir_.CreateAdd(row, ir_.getInt64(1)), made_->getArg(3)});
    Value* next = ir_.CreateAdd(group, count);
    group->addIncoming(next, body);
    ir_.CreateCondBr(ir_.CreateICmpULT(next, last), body, exit);
    ir_.SetInsertPoint(exit);
    ir_.CreateRetVoid();
    return made_;
  }

 private:
  void copy_frame() {
    constexpr std::size_t kWord = 8;  // bytes that are copied at once
    static_assert(sizeof(cpu::SpanFrame) % kWord == 0);
    frame_ = ir_.CreateAlloca(llvm::ArrayType::get(ir_.getInt8Ty(), sizeof(cpu::SpanFrame)));
    llvm::cast<llvm::AllocaInst>(frame_)->setAlignment(llvm::Align(kWord));
    for (std::size_t at = 0; at < sizeof(cpu::SpanFrame); at += kWord) {
      Value* from = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), made_->getArg(0), at);
      ir_.CreateStore(ir_.CreateLoad(ir_.getInt64Ty(), from), field(at));
    }
  }
  Value* field(std::size_t offset) { return ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), frame_, offset); }

  llvm::Function& rows_;
  llvm::Function* made_;
  BasicBlock* entry_;
  llvm::IRBuilder<> ir_;
  Value* frame_ = nullptr;
};

}  // namespace

bool groups_do_not_matter(llvm::Function& item, unsigned arguments) {
  for (unsigned at = 0; at < arguments; ++at)
    if (auto* type = llvm::dyn_cast<llvm::PointerType>(item.getArg(at)->getType()))
      if (type->getAddressSpace() == kLocalSpace) return false;
  for (const unsigned value :
       {static_cast<unsigned>(kOffset), static_cast<unsigned>(kGroups), static_cast<unsigned>(kLocalSize),
        static_cast<unsigned>(kGroup), static_cast<unsigned>(kLocals)})
    if (!item_value(item, arguments, value)->use_empty()) return false;
  const Value* first = item_value(item, arguments, kFirst);
  const Value* x = item_value(item, arguments, kLocalId);
  if (!llvm::all_of(first->users(), [&](const llvm::User* user) { return is_sum_with(user, x); })) return false;
  if (!llvm::all_of(x->users(), [&](const llvm::User* user) { return is_sum_with(user, first); })) return false;
  return llvm::none_of(llvm::instructions(item), is_ordered);
}

llvm::Function* make_joined(const std::string& symbol, llvm::Function& rows) { return Joiner(symbol, rows).build(); }

}  // namespace skmd::codegen
