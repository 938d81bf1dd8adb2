// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/state_code.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/yield/yield_constants.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::compiler {

using llvm::IRBuilder;
using llvm::Value;

Value* StateCode::place(IRBuilder<>& ir, bool once, Value* word) const {
  Value* index = word;
  if (!once) {
    index = ir.CreateAdd(ir.CreateMul(word, ids_.items), ids_.linear);
    index = ir.CreateAdd(index, ir.getInt64(group_words_));
  }
  return ir.CreateInBoundsGEP(ir.getInt32Ty(), &state_, index);
}

Value* StateCode::place(IRBuilder<>& ir, const Kept& kept, unsigned number) const {
  return place(ir, kept.once, ir.getInt64(kept.word + number));
}

void StateCode::store_point(IRBuilder<>& ir, Value* point) const {
  ir.CreateAlignedStore(point, place(ir, together_, ir.getInt64(together_ ? cpu::kGroupPoints - 1 : 0)),
                        llvm::Align(4));
}

llvm::LoadInst* StateCode::load_point(IRBuilder<>& ir) const {
  return ir.CreateAlignedLoad(ir.getInt32Ty(), place(ir, together_, ir.getInt64(0)), llvm::Align(4), "point");
}

void StateCode::save_number(IRBuilder<>& ir, const Kept& kept, unsigned& number, Value* value) const {
  const unsigned bits = value->getType()->getScalarSizeInBits();
  value = ir.CreateBitCast(value, ir.getIntNTy(bits));
  const auto store = [&](Value* word) { ir.CreateAlignedStore(word, place(ir, kept, number++), llvm::Align(4)); };
  if (bits <= 32) return store(ir.CreateZExt(value, ir.getInt32Ty()));
  value = ir.CreateZExt(value, ir.getInt64Ty());
  store(ir.CreateTrunc(value, ir.getInt32Ty()));
  store(ir.CreateTrunc(ir.CreateLShr(value, 32), ir.getInt32Ty()));
}

Value* StateCode::restore_number(IRBuilder<>& ir, const Kept& kept, unsigned& number, llvm::Type* type) const {
  const unsigned bits = type->getScalarSizeInBits();
  const auto load = [&] { return ir.CreateAlignedLoad(ir.getInt32Ty(), place(ir, kept, number++), llvm::Align(4)); };
  Value* value = load();
  if (bits > 32) {
    Value* low = ir.CreateZExt(value, ir.getInt64Ty());
    value = ir.CreateOr(low, ir.CreateShl(ir.CreateZExt(load(), ir.getInt64Ty()), 32));
  }
  return ir.CreateBitCast(ir.CreateTrunc(value, ir.getIntNTy(bits)), type);
}

void StateCode::copy_variable(IRBuilder<>& ir, const Kept& kept, bool save) const {
  const auto copy = [&](IRBuilder<>& at, Value* word) {
    Value* own = at.CreateInBoundsGEP(at.getInt32Ty(), kept.value, word);
    Value* kept_at = place(at, false, at.CreateAdd(word, at.getInt64(kept.word)));
    Value* value = at.CreateAlignedLoad(at.getInt32Ty(), save ? own : kept_at, llvm::Align(4));
    at.CreateAlignedStore(value, save ? kept_at : own, llvm::Align(4));
  };
  if (kept.words <= tuning::kStraightWords) {
    for (unsigned word = 0; word < kept.words; ++word) copy(ir, ir.getInt64(word));
    return;
  }
  llvm::Instruction* next = &*ir.GetInsertPoint();
  const auto [body, index] = llvm::SplitBlockAndInsertSimpleForLoop(ir.getInt64(kept.words), next->getIterator());
  IRBuilder<> inside(body);
  copy(inside, index);
  ir.SetInsertPoint(next);
}

void StateCode::save(IRBuilder<>& ir, const Kept& kept) const {
  if (llvm::isa<llvm::AllocaInst>(kept.value)) return copy_variable(ir, kept, true);
  unsigned number = 0;
  Value* value = kept.value;
  if (kept.object != nullptr) {
    llvm::Type* distance = ir.getInt64Ty();
    value = ir.CreateSub(ir.CreatePtrToInt(value, distance), ir.CreatePtrToInt(kept.object, distance));
  }
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (vector == nullptr) return save_number(ir, kept, number, value);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    save_number(ir, kept, number, ir.CreateExtractElement(value, ir.getInt32(i)));
}

Value* StateCode::restore(IRBuilder<>& ir, const Kept& kept) const {
  if (llvm::isa<llvm::AllocaInst>(kept.value)) {
    copy_variable(ir, kept, false);
    return nullptr;
  }
  unsigned number = 0;
  if (kept.object != nullptr) return ir.CreatePtrAdd(kept.object, restore_number(ir, kept, number, ir.getInt64Ty()));
  llvm::Type* type = kept.value->getType();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr) return restore_number(ir, kept, number, type);
  Value* value = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    value = ir.CreateInsertElement(value, restore_number(ir, kept, number, vector->getElementType()), ir.getInt32(i));
  return value;
}

}  // namespace skmd::compiler
