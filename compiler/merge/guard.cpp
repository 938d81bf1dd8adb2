// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/guard.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>

#include "compiler/merge/eligible.h"
#include "compiler/merge/replay.h"
#include "compiler/merge/units.h"

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kZeroBytes = 64;
constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kWordBits = 64;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 32;

class Guard {
 public:
  Guard(const Extents& extents, llvm::Instruction& entry) : extents_(extents), entry_(entry) {}

  void replay(llvm::CallInst& marker) {
    Value* place = marker.getArgOperand(0);
    const std::uint64_t width = llvm::cast<llvm::ConstantInt>(marker.getArgOperand(1))->getZExtValue();
    Value* count = marker.getArgOperand(2);
    const Extent& extent = extents_.find(base_of(*place))->second;
    IRBuilder<> ir(&marker);
    Value* offset = ir.CreateSub(ir.CreatePtrToInt(place, ir.getInt64Ty()), extent.bytes);
    Value* bytes = ir.CreateMul(ir.getInt64(width), count);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    if (constant != nullptr && constant->isZero()) return marker.eraseFromParent(), void();
    llvm::Instruction* then = nullptr;
    llvm::Instruction* otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(can_mark(ir, extent, offset, width, *count), &marker, &then, &otherwise);
    IRBuilder<> mark(then);
    if (constant != nullptr && known_alignment(*place, marker.getDataLayout()) % constant->getZExtValue() == 0) {
      mark_word(mark, extent, offset, constant->getZExtValue());
    } else {
      mark_range(extent, offset, bytes, *then);
    }
    if (constant != nullptr && constant->getZExtValue() == width) {
      copy_inside(extent, offset, width, *otherwise);
    } else {
      copy_each(extent, offset, width, count, *otherwise);
    }
    marker.eraseFromParent();
  }

  void load(llvm::LoadInst& load) {
    const Value* base = base_of(*load.getPointerOperand());
    const llvm::DataLayout& layout = load.getDataLayout();
    const std::uint64_t width = layout.getTypeStoreSize(load.getType());
    IRBuilder<> ir(&load);
    Value* start = nullptr;
    Value* limit = nullptr;
    if (const auto found = extents_.find(base); found != extents_.end()) {
      start = found->second.bytes;
      limit = limit_of(found->second, width);
    } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
      const std::uint64_t size = layout.getTypeAllocSize(variable->getValueType());
      start = ir.CreatePtrToInt(const_cast<llvm::GlobalVariable*>(variable), ir.getInt64Ty());
      limit = ir.getInt64(size >= width ? size - width + 1 : 0);
    } else {
      return;  // private memory is the work-item's own
    }
    Value* address = load.getPointerOperand();
    Value* offset = ir.CreateSub(ir.CreatePtrToInt(address, ir.getInt64Ty()), start);
    load.setOperand(0, ir.CreateSelect(ir.CreateICmpULT(offset, limit), address, zeros(load)));
    // Buffers begin where the application likes when it says so.
    load.setAlignment(llvm::Align(1));
  }

 private:
  // Accesses of `width` bytes fit from offset 0 to below this.
  Value* limit_of(const Extent& extent, std::uint64_t width) {
    Value*& limit = limits_[{extent.size, width}];
    if (limit == nullptr) {
      IRBuilder<> ir(&entry_);
      Value* rest = ir.CreateSub(extent.size, ir.getInt64(width - 1));
      limit = ir.CreateSelect(ir.CreateICmpUGE(extent.size, ir.getInt64(width)), rest, ir.getInt64(0));
    }
    return limit;
  }

  // The same, and 0 where there are no bits to set.
  Value* marked_limit_of(const Extent& extent, std::uint64_t width) {
    Value*& limit = marked_limits_[{extent.marks, width}];
    if (limit == nullptr) {
      Value* inside = limit_of(extent, width);
      IRBuilder<> ir(&entry_);
      limit = ir.CreateSelect(ir.CreateIsNotNull(extent.marks), inside, ir.getInt64(0));
    }
    return limit;
  }

  // Whether all of a marker's bytes are inside and can be marked.
  Value* can_mark(IRBuilder<>& ir, const Extent& extent, Value* offset, std::uint64_t width, Value& count) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&count);
        constant != nullptr && constant->getValue().ult(kMostElements))
      return ir.CreateICmpULT(offset, marked_limit_of(extent, width * constant->getZExtValue()));
    Value* room = ir.CreateUDiv(ir.CreateSub(extent.size, offset), ir.getInt64(width));
    return ir.CreateAnd(ir.CreateICmpULT(offset, marked_limit_of(extent, width)), ir.CreateICmpULE(&count, room));
  }

  static void set_bits(IRBuilder<>& ir, const Extent& extent, Value* bit, Value* mask) {
    llvm::Type* word = ir.getInt64Ty();
    Value* place = ir.CreateGEP(word, extent.marks, ir.CreateLShr(bit, 6));
    ir.CreateStore(ir.CreateOr(ir.CreateLoad(word, place), mask), place);
  }

  // All in one word: `size` divides `offset`, and no unit is larger than either.
  static void mark_word(IRBuilder<>& ir, const Extent& extent, Value* offset, std::uint64_t size) {
    Value* first = ir.CreateLShr(offset, llvm::Log2_64(extent.unit));
    Value* ones = ir.getInt64((std::uint64_t{1} << (size / extent.unit)) - 1);
    set_bits(ir, extent, first, ir.CreateShl(ones, ir.CreateAnd(first, kWordBits - 1)));
  }

  static void mark_range(const Extent& extent, Value* offset, Value* bytes, llvm::Instruction& before) {
    llvm::BasicBlock* head = before.getParent();
    llvm::BasicBlock* after = llvm::SplitBlock(head, &before);
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(head->getContext(), "mark", head->getParent(), after);
    IRBuilder<> ir(head->getTerminator());
    const unsigned shift = llvm::Log2_64(extent.unit);
    Value* first = ir.CreateLShr(offset, shift);
    Value* last = ir.CreateAdd(first, ir.CreateLShr(bytes, shift));
    ir.CreateCondBr(ir.CreateICmpNE(first, last), loop, after);
    head->getTerminator()->eraseFromParent();
    ir.SetInsertPoint(loop);
    llvm::PHINode* bit = ir.CreatePHI(ir.getInt64Ty(), 2);
    bit->addIncoming(first, head);
    Value* skipped = ir.CreateAnd(bit, kWordBits - 1);
    Value* room = ir.CreateSub(ir.getInt64(kWordBits), skipped);
    Value* count = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, room, ir.CreateSub(last, bit));
    Value* ones = ir.CreateLShr(ir.getInt64(~std::uint64_t{0}), ir.CreateSub(ir.getInt64(kWordBits), count));
    set_bits(ir, extent, bit, ir.CreateShl(ones, skipped));
    Value* next = ir.CreateAdd(bit, count);
    ir.CreateCondBr(ir.CreateICmpNE(next, last), loop, after);
    bit->addIncoming(next, loop);
  }

  Value* zeros(const llvm::LoadInst& load) {
    llvm::Module& module = *const_cast<llvm::Module*>(load.getModule());
    const unsigned space = load.getPointerAddressSpace();
    const std::string name = "skmd.zeros." + std::to_string(space);
    if (auto* known = module.getGlobalVariable(name, true)) return known;
    auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), kZeroBytes);
    return new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                    llvm::ConstantAggregateZero::get(type), name, nullptr,
                                    llvm::GlobalValue::NotThreadLocal, space);
  }

  static void copy(IRBuilder<>& ir, const Extent& extent, Value* offset, std::uint64_t width) {
    Value* from = ir.CreateAdd(extent.result, offset);
    Value* to = ir.CreateAdd(extent.bytes, offset);
    for (std::uint64_t done = 0; done < width;) {
      std::uint64_t piece = kWord;
      while (piece > width - done) piece /= 2;
      llvm::Type* type = ir.getIntNTy(static_cast<unsigned>(piece * 8));
      const auto address = [&](Value* start) {
        return ir.CreateIntToPtr(ir.CreateAdd(start, ir.getInt64(done)), ir.getPtrTy());
      };
      // A whole piece at a time: elements that two work-items race for are one's or the other's, never both.
      ir.CreateAlignedStore(ir.CreateAlignedLoad(type, address(from), llvm::Align(1)), address(to), llvm::Align(1));
      done += piece;
    }
  }

  void copy_inside(const Extent& extent, Value* offset, std::uint64_t width, llvm::Instruction& before) {
    IRBuilder<> ir(&before);
    Value* fits = ir.CreateICmpULT(offset, limit_of(extent, width));
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(fits, &before, false);
    ir.SetInsertPoint(then);
    copy(ir, extent, offset, width);
  }

  void copy_each(const Extent& extent, Value* offset, std::uint64_t width, Value* count, llvm::Instruction& before) {
    llvm::BasicBlock* head = before.getParent();
    llvm::BasicBlock* after = llvm::SplitBlock(head, &before);
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(head->getContext(), "each", head->getParent(), after);
    IRBuilder<> ir(head->getTerminator());
    ir.CreateCondBr(ir.CreateICmpNE(count, ir.getInt64(0)), loop, after);
    head->getTerminator()->eraseFromParent();
    ir.SetInsertPoint(loop);
    llvm::PHINode* index = ir.CreatePHI(ir.getInt64Ty(), 2);
    index->addIncoming(ir.getInt64(0), head);
    Value* place = ir.CreateAdd(offset, ir.CreateMul(index, ir.getInt64(width)));
    Value* next = ir.CreateAdd(index, ir.getInt64(1));
    llvm::BranchInst* back = ir.CreateCondBr(ir.CreateICmpNE(next, count), loop, after);
    copy_inside(extent, place, width, *back);
    index->addIncoming(next, back->getParent());
  }

  const Extents& extents_;
  llvm::Instruction& entry_;
  llvm::DenseMap<std::pair<const Value*, std::uint64_t>, Value*> limits_, marked_limits_;
};

void guard_division(llvm::BinaryOperator& division) {
  IRBuilder<> ir(&division);
  llvm::Type* type = division.getType();
  Value* divisor = division.getOperand(1);
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  llvm::Constant* one = llvm::ConstantInt::get(type, 1);
  const auto opcode = division.getOpcode();
  const bool is_signed = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(divisor);
      constant != nullptr && !constant->isZero() && !(is_signed && constant->isMinusOne()))
    return;
  Value* trap = ir.CreateICmpEQ(divisor, zero);
  if (is_signed) {
    // The least number by -1 overflows: dividing by -1 is negation, and leaves no rest.
    Value* minus = ir.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type));
    trap = ir.CreateOr(trap, minus);
    division.setOperand(1, ir.CreateSelect(trap, one, divisor));
    ir.SetInsertPoint(division.getNextNode());
    Value* other = opcode == llvm::Instruction::SDiv ? ir.CreateNeg(division.getOperand(0)) : zero;
    auto* chosen = llvm::cast<llvm::SelectInst>(ir.Insert(llvm::SelectInst::Create(minus, other, &division)));
    division.replaceUsesWithIf(chosen, [&](const llvm::Use& use) { return use.getUser() != chosen; });
    return;
  }
  division.setOperand(1, ir.CreateSelect(trap, one, divisor));
}

}  // namespace

void guard_accesses(const std::vector<llvm::BasicBlock*>& body, const Extents& extents, llvm::Instruction& entry) {
  std::vector<llvm::CallInst*> markers;
  std::vector<llvm::LoadInst*> loads;
  for (llvm::BasicBlock* block : body) {
    for (llvm::Instruction& instruction : *block) {
      if (is_replay(instruction)) markers.push_back(llvm::cast<llvm::CallInst>(&instruction));
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
    }
  }
  Guard guard(extents, entry);
  for (llvm::LoadInst* load : loads) guard.load(*load);
  for (llvm::CallInst* marker : markers) guard.replay(*marker);
}

void expand_transfers(const std::vector<llvm::BasicBlock*>& body) {
  std::vector<llvm::MemIntrinsic*> transfers;
  for (llvm::BasicBlock* block : body) {
    for (llvm::Instruction& instruction : *block)
      if (auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) transfers.push_back(transfer);
  }
  for (llvm::MemIntrinsic* transfer : transfers) {
    const llvm::TargetTransformInfo costs(transfer->getDataLayout());
    if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(transfer)) {
      llvm::expandMemSetAsLoop(fill);
    } else {
      llvm::expandMemCpyAsLoop(llvm::cast<llvm::MemCpyInst>(transfer), costs);
    }
    transfer->eraseFromParent();
  }
}

void guard_divisions(const std::vector<llvm::BasicBlock*>& body) {
  std::vector<llvm::BinaryOperator*> divisions;
  for (llvm::BasicBlock* block : body) {
    for (llvm::Instruction& instruction : *block) {
      auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (operation != nullptr && operation->isIntDivRem()) divisions.push_back(operation);
    }
  }
  for (llvm::BinaryOperator* division : divisions) guard_division(*division);
}

}  // namespace skmd::compiler
