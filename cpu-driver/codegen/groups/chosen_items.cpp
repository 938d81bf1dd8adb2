// SPDX-License-Identifier: Apache-2.0
// Rows of which vectors choose the items that run (sparse.h).
#include <algorithm>
#include <numeric>

#include "cpu-driver/codegen/groups/group_builder.h"
#include "cpu-driver/codegen/groups/groups_constants.h"
#include "cpu-driver/codegen/item/item.h"

namespace skmd::codegen {

// Pieces of the row: a flag for each item, a list of those whose flag is set, and then these.
void GroupBuilder::build_chosen_row(BasicBlock* from, BasicBlock* to, const RegionCode& code) {
  constexpr std::uint64_t kWord = 64;  // bits
  Value* size = given(kLocalSize);
  Builder top(entry_, entry_->begin());
  ChosenItems chosen;
  const auto array = [&](llvm::Type* of, std::uint64_t count, const char* name) {
    llvm::AllocaInst* made = top.CreateAlloca(llvm::ArrayType::get(of, count), nullptr, name);
    made->setAlignment(llvm::Align(kWord));
    return made;
  };
  llvm::AllocaInst* flags = array(top.getInt8Ty(), tuning::kChosenPiece, "flags");
  if (code.places) chosen.places = array(top.getInt64Ty(), tuning::kChosenPiece, "places");
  chosen.list =
      array(top.getInt32Ty(),
            tuning::kChosenPiece + std::max<std::uint64_t>(tuning::kListedAtOnce, tuning::kCompressedAtOnce), "list");
  chosen.count = top.CreateAlloca(top.getInt64Ty(), nullptr, "count");

  Builder ir(from);
  ir.CreateStore(ir.getInt64(0), chosen.count);
  const Counter piece = open("piece", ir_.getInt64(0), from);
  ir.SetInsertPoint(piece.header);
  chosen.begin = piece.value;
  Value* end = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size,
                                        ir.CreateAdd(piece.value, ir.getInt64(tuning::kChosenPiece)));
  Value* count = ir.CreateSub(end, piece.value, "", true, true);
  auto* word = llvm::FixedVectorType::get(ir.getInt8Ty(), kWord);
  // Of the last word, not all flags may be told.
  Value* last = ir.CreateAnd(ir.CreateSub(count, ir.getInt64(1)), ~(kWord - 1));
  ir.CreateAlignedStore(llvm::Constant::getNullValue(word), ir.CreatePtrAdd(flags, last), llvm::Align(kWord));
  BasicBlock *list = block("list"), *run = block("run");
  // As many as ran in the piece before, as a rule.
  Value* often = ir.CreateICmpUGE(ir.CreateLoad(ir.getInt64Ty(), chosen.count),
                                  ir.getInt64(tuning::kChosenPiece / tuning::kOften));
  build_choice(ir, list, code, piece.value, end, {flags, chosen.places, often});
  ir.SetInsertPoint(list);
  ir.CreateStore(ir.getInt64(0), chosen.count);
  const Counter words = open("word", ir_.getInt64(0), list);
  ir.SetInsertPoint(words.header);
  Value* set = ir.CreateIsNotNull(ir.CreateAlignedLoad(word, ir.CreatePtrAdd(flags, words.value), llvm::Align(kWord)));
  Value* bits = ir.CreateBitCast(set, ir.getInt64Ty());
  BasicBlock* any = block("any");
  ir.CreateCondBr(ir.CreateIsNotNull(bits), any, words.latch);
  ir.SetInsertPoint(any);
  if (code.compresses) {
    compress_chosen(ir, words.latch, chosen, words.value, set);
  } else {
    list_chosen(ir, words.latch, chosen, words.value, bits);
  }
  close(words, count, run, kWord);
  ir.SetInsertPoint(run);
  run_chosen(ir, piece.latch, code, chosen);
  close(piece, size, to, tuning::kChosenPiece);
}

// Tells which of the items x from `begin` to `end` run: flags[x - begin], places[x - begin].
void GroupBuilder::build_choice(Builder& ir, BasicBlock* to, const RegionCode& code, Value* begin, Value* end,
                                const ChoiceOfItems& choice) {
  Value* flags = ir.CreatePtrAdd(choice.flags, ir.CreateNeg(begin));
  Value* places = llvm::ConstantPointerNull::get(ir.getPtrTy());
  if (choice.places != nullptr) places = ir.CreateGEP(ir.getInt64Ty(), choice.places, ir.CreateNeg(begin));
  BasicBlock *vectors = block("choose"), *rest = block("rest"), *part = block("part");
  Value* whole = ir.CreateAnd(end, ~std::uint64_t{code.width - 1});
  ir.CreateCondBr(ir.CreateICmpNE(whole, begin), vectors, rest);
  const auto choose_by = [&](llvm::Function* chooser, BasicBlock* from) {
    const Counter x = open("x", begin, from);
    ir.SetInsertPoint(x.header);
    call(chooser, ir, x.value, {flags, places});
    ir.CreateBr(x.latch);
    close(x, whole, rest, code.width);
  };
  if (code.choose_often != nullptr) {
    BasicBlock *seldom = block("seldom"), *often = block("often");
    ir.SetInsertPoint(vectors);
    ir.CreateCondBr(choice.often, often, seldom);
    choose_by(code.choose_often, often);
    choose_by(code.choose, seldom);
  } else {
    choose_by(code.choose, vectors);
  }
  ir.SetInsertPoint(rest);
  ir.CreateCondBr(ir.CreateICmpNE(whole, end), part, to);
  ir.SetInsertPoint(part);
  call(code.choose_part, ir, whole, {flags, places, live_lanes(ir, ir.CreateSub(end, whole), code.width)});
  ir.CreateBr(to);
}

// Adds first + bit for the set `bits` to the list: some at once, whether there are so many or not, since their number
// cannot be predicted.
void GroupBuilder::list_chosen(Builder& ir, BasicBlock* to, const ChosenItems& chosen, Value* first, Value* bits) {
  BasicBlock *some = block("some"), *done = block("listed"), *from = ir.GetInsertBlock();
  Value* count = ir.CreateLoad(ir.getInt64Ty(), chosen.count);
  ir.CreateBr(some);
  ir.SetInsertPoint(some);
  llvm::PHINode* left = ir.CreatePHI(ir.getInt64Ty(), 2, "left");
  llvm::PHINode* at = ir.CreatePHI(ir.getInt64Ty(), 2, "at");
  left->addIncoming(bits, from);
  at->addIncoming(count, from);
  Value* rest = left;
  for (std::uint64_t i = 0; i < tuning::kListedAtOnce; ++i) {
    Value* bit = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, ir.getFalse());
    Value* item = ir.CreateTrunc(ir.CreateAdd(first, bit), ir.getInt32Ty());
    ir.CreateStore(item, ir.CreateInBoundsGEP(ir.getInt32Ty(), chosen.list, ir.CreateAdd(at, ir.getInt64(i))));
    rest = ir.CreateAnd(rest, ir.CreateSub(rest, ir.getInt64(1)));
  }
  left->addIncoming(rest, some);
  at->addIncoming(ir.CreateAdd(at, ir.getInt64(tuning::kListedAtOnce)), some);
  ir.CreateCondBr(ir.CreateIsNotNull(rest), some, done);
  ir.SetInsertPoint(done);
  ir.CreateStore(ir.CreateAdd(count, ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits)), chosen.count);
  ir.CreateBr(to);
}

// The same of a vector of i1, where compressing is one instruction.
void GroupBuilder::compress_chosen(Builder& ir, BasicBlock* to, const ChosenItems& chosen, Value* first, Value* set) {
  auto* items = llvm::FixedVectorType::get(ir.getInt32Ty(), tuning::kCompressedAtOnce);
  const unsigned flags = llvm::cast<llvm::FixedVectorType>(set->getType())->getNumElements();
  Value* count = ir.CreateLoad(ir.getInt64Ty(), chosen.count);
  for (unsigned from = 0; from < flags; from += tuning::kCompressedAtOnce) {
    llvm::SmallVector<int, tuning::kCompressedAtOnce> lanes(tuning::kCompressedAtOnce);
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(from));
    llvm::SmallVector<llvm::Constant*, tuning::kCompressedAtOnce> numbers;
    for (const int lane : lanes) numbers.push_back(ir.getInt32(static_cast<std::uint32_t>(lane)));
    Value* some = ir.CreateShuffleVector(set, lanes);
    Value* here = ir.CreateVectorSplat(tuning::kCompressedAtOnce, ir.CreateTrunc(first, ir.getInt32Ty()));
    Value* listed = ir.CreateIntrinsic(
        llvm::Intrinsic::experimental_vector_compress, {items},
        {ir.CreateAdd(here, llvm::ConstantVector::get(numbers)), some, llvm::PoisonValue::get(items)});
    ir.CreateAlignedStore(listed, ir.CreateInBoundsGEP(ir.getInt32Ty(), chosen.list, count), llvm::Align(4));
    Value* bits = ir.CreateBitCast(some, ir.getIntNTy(tuning::kCompressedAtOnce));
    count = ir.CreateAdd(count, ir.CreateZExt(ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits), ir.getInt64Ty()));
  }
  ir.CreateStore(count, chosen.count);
  ir.CreateBr(to);
}

// The items of the list; what one will read first is on its way while others run.
void GroupBuilder::run_chosen(Builder& ir, BasicBlock* to, const RegionCode& code, const ChosenItems& chosen) {
  // llvm.prefetch: rw, locality, cache type.
  constexpr std::uint32_t kForReading = 0, kIntoAllCaches = 3, kData = 1;
  BasicBlock* some = block("chosen");
  Value* count = ir.CreateLoad(ir.getInt64Ty(), chosen.count);
  ir.CreateCondBr(ir.CreateIsNotNull(count), some, to);
  const auto listed = [&](Value* at) {
    Value* item = ir.CreateLoad(ir.getInt32Ty(), ir.CreateInBoundsGEP(ir.getInt32Ty(), chosen.list, at));
    return ir.CreateZExt(item, ir.getInt64Ty());
  };
  const Counter at = open("at", ir.getInt64(0), some);
  ir.SetInsertPoint(at.header);
  if (chosen.places != nullptr) {
    Value* ahead =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir.CreateAdd(at.value, ir.getInt64(tuning::kChosenAhead)),
                                 ir.CreateSub(count, ir.getInt64(1)));
    Value* place = ir.CreateLoad(ir.getInt64Ty(), ir.CreateInBoundsGEP(ir.getInt64Ty(), chosen.places, listed(ahead)));
    // What items do not find in one cache line alone they find in half a line more, as a rule.
    for (const std::uint64_t further : {0, 32})
      ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {ir.getPtrTy()},
                         {ir.CreateIntToPtr(ir.CreateAdd(place, ir.getInt64(further)), ir.getPtrTy()),
                          ir.getInt32(kForReading), ir.getInt32(kIntoAllCaches), ir.getInt32(kData)});
  }
  call(code.item, ir, ir.CreateAdd(chosen.begin, listed(at.value), "", true, true), {});
  ir.CreateBr(at.latch);
  close(at, count, to);
}

}  // namespace skmd::codegen
