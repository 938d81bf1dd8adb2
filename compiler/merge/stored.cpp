// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/stored.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "compiler/merge/copies.h"
#include "cpu-driver/span_code.h"

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr char kStored[] = "skmd.stored";
constexpr std::uint64_t kWordBits = 64;  // of a bitmap's words
constexpr std::uint64_t kMaxElements = std::uint64_t{1}
                                       << 32;  // a stride below it cannot overflow when it is multiplied with a size

/// One buffer, as the entry loads it.
struct Target {
  BufferValues place;
  Value* marks = nullptr;   // ptr
  Value* marked = nullptr;  // i64: how much has marks
  std::uint64_t unit = 1;   // bytes for which one bit stands
};

class Lowering {
 public:
  explicit Lowering(llvm::Function& span)
      : span_(span), entry_(*span.getEntryBlock().getTerminator()), copies_(entry_, {}) {}

  void lower(llvm::CallInst& call) {
    const Stored stored = stored_of(call);
    const Target& extent = target(stored);
    const std::uint64_t width = stored.width;
    Value* offset = stored.offset;
    IRBuilder<> ir(&call);
    Value* bytes = ir.CreateMul(ir.getInt64(width), stored.count);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    if (constant != nullptr && constant->isZero()) return call.eraseFromParent(), void();
    llvm::Instruction* then = nullptr;
    llvm::Instruction* otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(can_mark(ir, extent, offset, width, *stored.count), &call, &then, &otherwise);
    IRBuilder<> mark(then);
    if (constant != nullptr && stored.alignment % constant->getZExtValue() == 0) {
      mark_word(mark, extent, offset, constant->getZExtValue());
    } else {
      mark_range(extent, offset, bytes, *then);
    }
    copies_.copy(extent.place, stored, *otherwise);
    call.eraseFromParent();
  }

 private:
  const Target& target(const Stored& stored) {
    const auto [found, is_new] = targets_.try_emplace(stored.argument);
    if (!is_new) return found->second;
    IRBuilder<> ir(&entry_);
    const auto field = [&](Value* of, std::size_t offset, llvm::Type* type) {
      return ir.CreateLoad(type, ir.CreatePtrAdd(of, ir.getInt64(offset)));
    };
    Value* list = field(span_.getArg(0), offsetof(cpu::SpanFrame, arguments), ir.getPtrTy());
    Value* slot = ir.CreatePtrAdd(list, ir.getInt64(stored.argument * sizeof(cpu::SpanArgument)));
    found->second = {{field(slot, offsetof(cpu::SpanArgument, bytes), ir.getInt64Ty()),
                      field(slot, offsetof(cpu::SpanArgument, result), ir.getInt64Ty()),
                      field(slot, offsetof(cpu::SpanArgument, size), ir.getInt64Ty())},
                     field(slot, offsetof(cpu::SpanArgument, marks), ir.getPtrTy()),
                     field(slot, offsetof(cpu::SpanArgument, marked), ir.getInt64Ty()),
                     stored.unit};
    return found->second;
  }

  // Whether all of a marker's bytes are inside and can be marked.
  Value* can_mark(IRBuilder<>& ir, const Target& extent, Value* offset, std::uint64_t width, Value& count) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&count);
        constant != nullptr && constant->getValue().ult(kMaxElements))
      return ir.CreateICmpULT(offset, copies_.limit_of(extent.marked, width * constant->getZExtValue()));
    Value* room = ir.CreateUDiv(ir.CreateSub(extent.marked, offset), ir.getInt64(width));
    return ir.CreateAnd(ir.CreateICmpULT(offset, copies_.limit_of(extent.marked, width)),
                        ir.CreateICmpULE(&count, room));
  }

  static void set_bits(IRBuilder<>& ir, const Target& extent, Value* bit, Value* mask) {
    llvm::Type* word = ir.getInt64Ty();
    Value* place = ir.CreateGEP(word, extent.marks, ir.CreateLShr(bit, 6));
    ir.CreateStore(ir.CreateOr(ir.CreateLoad(word, place), mask), place);
  }

  // All in one word: `size` divides `offset`, and no unit is larger than either.
  static void mark_word(IRBuilder<>& ir, const Target& extent, Value* offset, std::uint64_t size) {
    Value* first = ir.CreateLShr(offset, llvm::Log2_64(extent.unit));
    Value* ones = ir.getInt64((std::uint64_t{1} << (size / extent.unit)) - 1);
    set_bits(ir, extent, first, ir.CreateShl(ones, ir.CreateAnd(first, kWordBits - 1)));
  }

  static void mark_range(const Target& extent, Value* offset, Value* bytes, llvm::Instruction& before) {
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

  llvm::Function& span_;
  llvm::Instruction& entry_;
  std::map<unsigned, Target> targets_;
  Copies copies_;
};

}  // namespace

bool is_stored(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kStored;
}

Stored stored_of(const llvm::CallInst& call) {
  const auto number = [&](unsigned operand) {
    return llvm::cast<llvm::ConstantInt>(call.getArgOperand(operand))->getZExtValue();
  };
  return {
      call.getArgOperand(0), number(1), call.getArgOperand(2), static_cast<unsigned>(number(3)), number(4), number(5)};
}

void tell_stored(IRBuilder<>& ir, const Stored& stored) {
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  llvm::Type* i64 = ir.getInt64Ty();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {i64, i64, i64, i64, i64, i64}, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction(kStored, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  // Bytes that a merge function loads are not written by the launch, so loads may pass the markers.
  function->setOnlyAccessesInaccessibleMemory();
  ir.CreateCall(callee, {stored.offset, ir.getInt64(stored.width), stored.count, ir.getInt64(stored.argument),
                         ir.getInt64(stored.unit), ir.getInt64(stored.alignment)});
}

void lower_stored(llvm::Function& span) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(span))
    if (is_stored(instruction)) calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  Lowering lowering(span);
  for (llvm::CallInst* call : calls) lowering.lower(*call);
}

}  // namespace skmd::compiler
