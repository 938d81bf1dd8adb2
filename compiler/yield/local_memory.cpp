// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/local_memory.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>

#include "compiler/client/stoppable.h"
#include "compiler/ir/address_spaces.h"
#include "cpu-driver/span_code.h"

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Value;

// NOLINTNEXTLINE(misc-no-recursion): constant expressions
bool is_used_in(const llvm::Value& value, const llvm::Function& kernel) {
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) return instruction->getFunction() == &kernel;
    return llvm::isa<llvm::Constant>(user) && is_used_in(*user, kernel);
  });
}

Value* word_of_control(IRBuilder<>& ir, const LocalMemory::Item& item, std::uint32_t word) {
  Value* place = ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), item.control, word);
  return ir.CreateZExt(ir.CreateAlignedLoad(ir.getInt32Ty(), place, llvm::Align(4)), ir.getInt64Ty());
}

void copy_one(IRBuilder<>& ir, llvm::Type* type, Value* local, Value* kept, Value* index, bool save) {
  const llvm::Align align(type->getIntegerBitWidth() / 8);
  Value* here = ir.CreateInBoundsGEP(type, local, index);
  Value* there = ir.CreateInBoundsGEP(type, kept, index);
  ir.CreateAlignedStore(ir.CreateAlignedLoad(type, save ? here : there, align), save ? there : here, align);
}

// Words item by item, and the bytes behind the last word.
void copy_bytes(llvm::Instruction& before, Value* local, Value* kept, Value* bytes, const LocalMemory::Item& item,
                bool save) {
  IRBuilder<> ir(&before);
  Value* words = ir.CreateLShr(bytes, 2);
  // Items 0, items, 2 items …: as many rounds as the first item has.
  Value* rounds = ir.CreateUDiv(ir.CreateSub(ir.CreateAdd(words, item.items), ir.getInt64(1)), item.items);
  Value* any = ir.CreateICmpNE(rounds, ir.getInt64(0));
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(any, before.getIterator(), false);
  const auto [body, round] = llvm::SplitBlockAndInsertSimpleForLoop(rounds, then->getIterator());
  ir.SetInsertPoint(body);
  Value* word = ir.CreateAdd(ir.CreateMul(round, item.items), item.linear);
  llvm::Instruction* one = llvm::SplitBlockAndInsertIfThen(ir.CreateICmpULT(word, words), ir.GetInsertPoint(), false);
  ir.SetInsertPoint(one);
  copy_one(ir, ir.getInt32Ty(), local, kept, word, save);
  ir.SetInsertPoint(&before);
  Value* rest = ir.CreateAnd(bytes, 3);
  one = llvm::SplitBlockAndInsertIfThen(ir.CreateICmpULT(item.linear, rest), before.getIterator(), false);
  ir.SetInsertPoint(one);
  copy_one(ir, ir.getInt8Ty(), local, kept, ir.CreateAdd(ir.CreateShl(words, 2), item.linear), save);
}

}  // namespace

LocalMemory::LocalMemory(llvm::Function& kernel) {
  const llvm::Module& module = *kernel.getParent();
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getAddressSpace() != kLocalSpace || !is_used_in(variable, kernel)) continue;
    bytes_ = llvm::alignTo(bytes_, cpu::kScratchAlignment);
    const std::uint64_t size = module.getDataLayout().getTypeAllocSize(variable.getValueType());
    variables_.push_back({const_cast<llvm::GlobalVariable*>(&variable), bytes_, size});
    bytes_ += size;
  }
  for (llvm::Argument& argument : kernel.args())
    if (argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kLocalSpace)
      parameters_.push_back(&argument);
}

void LocalMemory::copy(llvm::Instruction& before, Value& state, const Item& item, bool save) const {
  IRBuilder<> ir(&before);
  for (const Variable& own : variables_) {
    own.variable->setAlignment(std::max(own.variable->getAlign().valueOrOne(), llvm::Align(4)));
    Value* kept = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), &state, own.offset);
    copy_bytes(before, own.variable, kept, ir.getInt64(own.bytes), item, save);
    ir.SetInsertPoint(&before);
  }
  for (std::uint32_t number = 0; number < parameters(); ++number) {
    Value* offset = word_of_control(ir, item, control::kLocals + 2 * number);
    Value* bytes = word_of_control(ir, item, control::kLocals + 2 * number + 1);
    copy_bytes(before, parameters_[number], ir.CreatePtrAdd(&state, offset), bytes, item, save);
    ir.SetInsertPoint(&before);
  }
}

}  // namespace skmd::compiler
