// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/lookups.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <string>

#include "cpu-driver/codegen/vector/byte_shuffles.h"
#include "cpu-driver/codegen/vector/choices.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Value;

constexpr llvm::StringLiteral kLookup = "skmd.lookup.";
constexpr unsigned kWords = 16;   // of 32 bits, in a register
constexpr unsigned kBytes = 64;   // in a register
constexpr unsigned kPage = 4096;  // bytes: what is on one page with a byte that is there is there too

unsigned lanes_in(const Value& value) { return llvm::cast<FixedVectorType>(value.getType())->getNumElements(); }

class Lowering {
 public:
  Lowering(llvm::CallInst& call, Isa isa)
      : isa_(isa),
        lanes_(lanes_in(call)),
        base_(call.getArgOperand(0)),
        index_(call.getArgOperand(1)),
        mask_(call.getArgOperand(2)),
        builder_(call.getContext(), llvm::TargetFolder(call.getDataLayout())) {}

  // If a lane reads a byte of the table and it is all on one page, all of it may be read.
  Value* at(llvm::CallInst& call) {
    if (isa_ < Isa::avx512 && !shuffles(*call.getFunction())) {
      builder_.SetInsertPoint(&call);
      return gather_bytes();
    }
    llvm::BasicBlock* before = call.getParent();
    llvm::BasicBlock* behind = llvm::SplitBlock(before, &call);
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    Value* place = builder_.CreateAnd(builder_.CreatePtrToInt(base_, builder_.getInt64Ty()), kPage - 1);
    Value* whole = builder_.CreateFreeze(builder_.CreateICmpULE(place, builder_.getInt64(kPage - kTableBytes)));
    const auto* known = llvm::dyn_cast<llvm::Constant>(mask_);
    if (known == nullptr || !known->isAllOnesValue()) whole = builder_.CreateAnd(whole, any());
    Value* found = if_else(
        builder_, whole, [&] { return pick_all(); }, [&] { return gather_all(); });
    builder_.CreateBr(behind);
    return found;
  }

 private:
  Value* pick_all() {
    if (isa_ < Isa::avx512) return pick_by_shuffles(builder_, base_, index_, isa_);
    if (isa_ >= Isa::avx512vbmi && lanes_ <= kBytes) return pick_bytes();
    return in_pieces([&](unsigned first) { return pick(piece(index_, first)); });
  }

  Value* gather_all() {
    if (isa_ < Isa::avx512) return gather_bytes();
    return in_pieces([&](unsigned first) { return gather(piece(index_, first), piece(mask_, first)); });
  }

  Value* any() { return builder_.CreateOrReduce(builder_.CreateFreeze(mask_)); }

  // A register's lanes of words.
  Value* piece(Value* vector, unsigned first) {
    if (lanes_ == kWords) return vector;
    llvm::SmallVector<int, kWords> places;
    for (unsigned at = 0; at < kWords; ++at) places.push_back(static_cast<int>(first + at));
    return builder_.CreateShuffleVector(vector, places);
  }

  Value* in_pieces(llvm::function_ref<Value*(unsigned)> make) {
    llvm::SmallVector<Value*, 4> pieces;
    for (unsigned first = 0; first < lanes_; first += kWords) pieces.push_back(make(first));
    return joined(builder_, pieces);
  }

  llvm::Type* words() { return FixedVectorType::get(builder_.getInt32Ty(), kWords); }
  llvm::Type* bytes() { return FixedVectorType::get(builder_.getInt8Ty(), kWords); }
  Value* constant(std::uint64_t value) { return llvm::ConstantInt::get(words(), value); }

  // Out of 256 in four registers, two of which an instruction picks from.
  Value* pick_bytes() {
    llvm::Type* all = FixedVectorType::get(builder_.getInt8Ty(), kBytes);
    llvm::SmallVector<int, kBytes> widen, narrow;
    for (unsigned at = 0; at < kBytes; ++at) widen.push_back(at < lanes_ ? static_cast<int>(at) : -1);
    for (unsigned at = 0; at < lanes_; ++at) narrow.push_back(static_cast<int>(at));
    Value* index = lanes_ == kBytes ? index_ : builder_.CreateShuffleVector(index_, widen);
    const auto part = [&](unsigned number) {
      return builder_.CreateAlignedLoad(all, step(builder_, base_, kBytes, number), llvm::Align(1));
    };
    const auto half = [&](unsigned first) {
      return builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_qi_512, {},
                                      {part(first), index, part(first + 1)});
    };
    Value* lower = half(0);
    Value* upper = half(2);
    Value* found =
        builder_.CreateSelect(builder_.CreateICmpSLT(index, llvm::Constant::getNullValue(all)), upper, lower);
    return lanes_ == kBytes ? found : builder_.CreateShuffleVector(found, narrow);
  }

  // The word that a byte is in, out of 64 in four registers.
  Value* pick(Value* index) {
    const auto part = [&](unsigned number) {
      return builder_.CreateAlignedLoad(words(), step(builder_, base_, 4 * kWords, number), llvm::Align(1));
    };
    Value* byte = builder_.CreateZExt(index, words());
    Value* word = builder_.CreateLShr(byte, constant(2));
    const auto half = [&](unsigned first) {
      return builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                      {part(first), word, part(first + 1)});
    };
    Value* lower = half(0);
    Value* upper = half(2);
    Value* found = builder_.CreateSelect(
        builder_.CreateICmpNE(builder_.CreateAnd(byte, constant(kTableBytes / 2)), constant(0)), upper, lower);
    return builder_.CreateTrunc(byte_of(found, byte), bytes());
  }

  Value* byte_of(Value* word, Value* number) {
    return builder_.CreateLShr(word, builder_.CreateShl(builder_.CreateAnd(number, constant(3)), constant(3)));
  }

  bool shuffles(llvm::Function& function) const {
    const unsigned loads = cost_of_loads(lanes_), shuffles = cost_of_shuffles(lanes_, isa_);
    note_choice(function, "a table is looked up by " + llvm::Twine(shuffles < loads ? "shuffles" : "loads") + " for " +
                              llvm::Twine(lanes_) + " lanes: " + llvm::Twine(std::min(shuffles, loads)) +
                              " instructions, not " + llvm::Twine(std::max(shuffles, loads)));
    return shuffles < loads;
  }

  // What lower_gathers() makes loads of.
  Value* gather_bytes() {
    Value* distance = builder_.CreateZExt(index_, FixedVectorType::get(builder_.getInt64Ty(), lanes_));
    return builder_.CreateMaskedGather(index_->getType(), builder_.CreateGEP(builder_.getInt8Ty(), base_, distance),
                                       llvm::Align(1), mask_);
  }

  // A byte's aligned word is on the byte's page.
  Value* gather(Value* index, Value* mask) {
    Value* places = builder_.CreateGEP(builder_.getInt8Ty(), base_,
                                       builder_.CreateZExt(index, FixedVectorType::get(builder_.getInt64Ty(), kWords)));
    Value* numbers = builder_.CreatePtrToInt(places, FixedVectorType::get(builder_.getInt64Ty(), kWords));
    Value* aligned = builder_.CreateAnd(numbers, llvm::ConstantInt::get(numbers->getType(), ~std::uint64_t{3}));
    Value* found =
        builder_.CreateMaskedGather(words(), builder_.CreateIntToPtr(aligned, places->getType()), llvm::Align(4), mask);
    return builder_.CreateTrunc(byte_of(found, builder_.CreateTrunc(numbers, words())), bytes());
  }

  const Isa isa_;
  const unsigned lanes_;
  Value* const base_;
  Value* const index_;
  Value* const mask_;
  Builder builder_;
};

}  // namespace

llvm::CallInst* create_lookup(Builder& builder, Value* base, Value* index, Value* mask) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const std::string name = kLookup.str() + std::to_string(lanes_in(*index)) + ".p" +
                           std::to_string(base->getType()->getPointerAddressSpace());
  auto* type = llvm::FunctionType::get(index->getType(), {base->getType(), index->getType(), mask->getType()}, false);
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setMemoryEffects(llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Ref));
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(llvm::Attribute::NoCallback);
  return builder.CreateCall(function, {base, index, mask});
}

bool is_lookup(const Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  return call != nullptr && call->getCalledFunction() != nullptr &&
         call->getCalledFunction()->getName().starts_with(kLookup);
}

bool lower_lookups(llvm::Function& function, Isa isa) {
  llvm::SmallVector<llvm::CallInst*, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_lookup(instruction)) found.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst* call : found) {
    Value* made = Lowering(*call, isa).at(*call);
    made->takeName(call);
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace skmd::codegen
