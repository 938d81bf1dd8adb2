// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/group_builder.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <numeric>

#include "cpu-driver/codegen/pipeline/item.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

llvm::Value* live_lanes(llvm::IRBuilder<>& ir, llvm::Value* count, unsigned width) {
  llvm::SmallVector<llvm::Constant*, 32> numbers;
  for (unsigned lane = 0; lane < width; ++lane) numbers.push_back(ir.getInt32(lane));
  llvm::Value* bound = ir.CreateVectorSplat(width, ir.CreateTrunc(count, ir.getInt32Ty()));
  return ir.CreateICmpULT(llvm::ConstantVector::get(numbers), bound);
}

}  // namespace

GroupBuilder::GroupBuilder(const llvm::Function& kernel, const std::string& symbol, const Regions& regions,
                           const GroupCode& code)
    : kernel_(kernel),
      context_(kernel.getContext()),
      regions_(regions),
      code_(code),
      arguments_(static_cast<unsigned>(kernel.arg_size())),
      ir_(context_) {
  made_ = declare_kernel(*const_cast<llvm::Module*>(kernel.getParent()), symbol);
}

llvm::Function* GroupBuilder::build() {
  entry_ = block("entry");
  exit_ = block("exit");
  Builder(exit_).CreateRetVoid();
  ir_.SetInsertPoint(entry_);
  load_frame();
  make_group_values();
  build_groups();
  for (llvm::CallInst* call : calls_) {
    llvm::InlineFunctionInfo info;
    (void)llvm::InlineFunction(*call, info);  // cannot fail: direct, defined, and no exceptions
  }
  return made_;
}

GroupBuilder::Value* GroupBuilder::field(std::size_t offset) {
  return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), made_->getArg(0), offset));
}

void GroupBuilder::fields(unsigned to, std::size_t offset) {
  for (unsigned d = 0; d < 3; ++d) given(to + d) = field(offset + d * sizeof(std::uint64_t));
}

void GroupBuilder::load_frame() {
  values_.resize(arguments_ + kItemValues, nullptr);
  given(kWorkDim) = field(offsetof(cpu::SpanFrame, work_dim));
  fields(kOffset, offsetof(cpu::SpanFrame, global_offset));
  fields(kSize, offsetof(cpu::SpanFrame, global_size));
  fields(kGroups, offsetof(cpu::SpanFrame, group_count));
  fields(kLocalSize, offsetof(cpu::SpanFrame, local_size));
  for (unsigned d = 0; d < 3; ++d)
    if (code_.local[d] != 0) given(kLocalSize + d) = ir_.getInt64(code_.local[d]);
  Value* scratch = made_->getArg(3);
  given(kItems) = ir_.CreateInBoundsPtrAdd(scratch, field(offsetof(cpu::SpanFrame, items_offset)));
  given(kLocals) = ir_.CreateAddrSpaceCast(scratch, ir_.getPtrTy(kLocalSpace));
  given(kFrame) = ir_.CreateAddrSpaceCast(made_->getArg(0), ir_.getPtrTy(kConstantSpace));
  padded_ = pad(given(kLocalSize));
  given(kPaddedItems) = ir_.CreateMul(ir_.CreateMul(padded_, given(kLocalSize + 1)), given(kLocalSize + 2));
  load_arguments();
}

GroupBuilder::Value* GroupBuilder::pad(Value* row) {
  if (code_.padding == 1) return row;
  const std::uint64_t rest = code_.padding - 1;
  return ir_.CreateAnd(ir_.CreateAdd(row, ir_.getInt64(rest)), ~rest);
}

void GroupBuilder::load_arguments() {
  Value* list = ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), made_->getArg(0),
                                                                              offsetof(cpu::SpanFrame, arguments)));
  for (const llvm::Argument& argument : kernel_.args()) {
    const std::size_t slot = argument.getArgNo() * sizeof(cpu::SpanArgument) + offsetof(cpu::SpanArgument, bytes);
    Value* place = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), list, slot);
    Value* bytes = ir_.CreateLoad(ir_.getPtrTy(), place);
    values_[argument.getArgNo()] = value_of(argument, bytes);
  }
}

GroupBuilder::Value* GroupBuilder::value_of(const llvm::Argument& argument, Value* bytes) {
  llvm::Type* type = argument.getType();
  if (!type->isPointerTy()) return ir_.CreateAlignedLoad(type, bytes, llvm::Align(1));
  if (type->getPointerAddressSpace() == kLocalSpace)
    return ir_.CreateAddrSpaceCast(ir_.CreatePtrAdd(made_->getArg(3), ir_.CreatePtrToInt(bytes, ir_.getInt64Ty())),
                                   type);
  return ir_.CreatePointerBitCastOrAddrSpaceCast(bytes, type);
}

void GroupBuilder::make_group_values() {
  next_ = ir_.CreateAlloca(ir_.getInt32Ty(), nullptr, "next");
  for (llvm::Type* type : regions_.group_values) {
    ins_.push_back(ir_.CreateAlloca(type, nullptr, "in"));
    outs_.push_back(ir_.CreateAlloca(type, nullptr, "out"));
  }
}

Counter GroupBuilder::open(const char* name, Value* start, BasicBlock* from) {
  Counter counter{block(name), block(name), nullptr};
  Builder ir(from);
  ir.CreateBr(counter.header);
  ir.SetInsertPoint(counter.header);
  counter.value = ir.CreatePHI(ir.getInt64Ty(), 2, name);
  counter.value->addIncoming(start, from);
  return counter;
}

void GroupBuilder::close(const Counter& counter, Value* end, BasicBlock* to, std::uint64_t step) {
  Builder ir(counter.latch);
  Value* next = ir.CreateAdd(counter.value, ir.getInt64(step), "", true, true);
  llvm::BranchInst* back = ir.CreateCondBr(ir.CreateICmpULT(next, end), counter.header, to);
  llvm::LLVMContext& context = ir.getContext();
  llvm::MDNode* mark = llvm::MDNode::get(context, llvm::MDString::get(context, kItemsLoop));
  llvm::MDNode* name = llvm::MDNode::getDistinct(context, {nullptr, mark});
  name->replaceOperandWith(0, name);
  back->setMetadata(llvm::LLVMContext::MD_loop, name);
  counter.value->addIncoming(next, counter.latch);
}

void GroupBuilder::build_groups() {
  Value* first = made_->getArg(1);
  Value* last = made_->getArg(2);
  BasicBlock* setup = block("setup");
  ir_.CreateCondBr(ir_.CreateICmpULT(first, last), setup, exit_);
  ir_.SetInsertPoint(setup);
  Value* row = ir_.CreateUDiv(first, given(kGroups));
  const std::array<Value*, 3> start = {ir_.CreateURem(first, given(kGroups)), ir_.CreateURem(row, given(kGroups + 1)),
                                       ir_.CreateUDiv(row, given(kGroups + 1))};
  const Counter group = open("group", first, setup);
  ir_.SetInsertPoint(group.header);
  std::array<llvm::PHINode*, 3> ids{};
  for (unsigned d = 0; d < 3; ++d) {
    ids[d] = ir_.CreatePHI(ir_.getInt64Ty(), 2);
    ids[d]->addIncoming(start[d], setup);
  }
  give_group(ir_, {ids[0], ids[1], ids[2]});
  build_regions(group.header, group.latch);
  next_group(group, ids);
  close(group, last, exit_);
}

void GroupBuilder::give_group(Builder& ir, const std::array<Value*, 3>& ids) {
  for (unsigned d = 0; d < 3; ++d) {
    given(kGroup + d) = ids[d];
    given(kFirst + d) = ir.CreateAdd(given(kOffset + d), ir.CreateMul(ids[d], given(kLocalSize + d)));
  }
}

void GroupBuilder::next_group(const Counter& group, const std::array<llvm::PHINode*, 3>& ids) {
  Builder ir(group.latch);
  Value* carry = ir.getTrue();
  for (unsigned d = 0; d < 3; ++d) {
    Value* next = ir.CreateAdd(ids[d], ir.CreateZExt(carry, ir.getInt64Ty()));
    carry = ir.CreateICmpEQ(next, given(kGroups + d));
    ids[d]->addIncoming(ir.CreateSelect(carry, ir.getInt64(0), next), group.latch);
  }
}

void GroupBuilder::build_regions(BasicBlock* from, BasicBlock* to) {
  std::vector<BasicBlock*> starts;
  for (std::size_t k = 0; k < regions_.regions.size(); ++k) starts.push_back(block("region"));
  Builder(from).CreateBr(starts[0]);
  for (std::size_t k = 0; k < regions_.regions.size(); ++k) {
    BasicBlock* after = block("after");
    build_items(starts[k], after, static_cast<unsigned>(k));
    Builder ir(after);
    const auto way_to = [&](unsigned number) { return way(static_cast<unsigned>(k), number, starts[number]); };
    // An out value becomes an in value once no item of the region will read that any more.
    for (std::size_t i = 0; i < ins_.size(); ++i)
      ir.CreateStore(ir.CreateLoad(regions_.group_values[i], outs_[i]), ins_[i]);
    const std::vector<unsigned>& next = regions_.regions[k].next;
    if (next.empty()) {  // items never come back
      ir.CreateBr(to);
    } else if (next.size() == 1) {
      ir.CreateBr(next.front() == kEnd ? to : way_to(next.front()));
    } else {
      llvm::SwitchInst* choice = ir.CreateSwitch(ir.CreateLoad(ir.getInt32Ty(), next_), to);
      for (const unsigned number : next)
        if (number != kEnd) choice->addCase(ir.getInt32(number), way_to(number));
    }
  }
}

GroupBuilder::BasicBlock* GroupBuilder::way(unsigned /*from*/, unsigned /*to*/, BasicBlock* target) { return target; }

void GroupBuilder::begin_region(Builder& ir) {
  ir.CreateStore(ir.getInt32(kEnd), next_);
  in_values_.clear();
  for (std::size_t i = 0; i < ins_.size(); ++i) in_values_.push_back(ir.CreateLoad(regions_.group_values[i], ins_[i]));
}

GroupBuilder::Rows GroupBuilder::open_rows(BasicBlock* from) {
  const Counter z = open("z", ir_.getInt64(0), from);
  const Counter y = open("y", ir_.getInt64(0), z.header);
  given(kLocalId + 1) = y.value;
  given(kLocalId + 2) = z.value;
  Builder ir(y.header);
  Value* row = ir.CreateAdd(ir.CreateMul(z.value, given(kLocalSize + 1), "", true, true), y.value, "", true, true);
  given(kRow) = ir.CreateMul(row, padded_, "", true, true);
  return {z, y};
}

void GroupBuilder::close_rows(const Rows& rows, BasicBlock* to, unsigned rows_at_once) {
  close(rows.y, given(kLocalSize + 1), rows.z.latch, rows_at_once);
  close(rows.z, given(kLocalSize + 2), to);
}

void GroupBuilder::build_items(BasicBlock* from, BasicBlock* to, unsigned number) {
  Builder ir(from);
  begin_region(ir);
  const Rows rows = open_rows(from);
  build_row(rows.y.header, rows.y.latch, code_.regions[number]);
  close_rows(rows, to, code_.regions[number].row_count);
}

void GroupBuilder::build_row(BasicBlock* from, BasicBlock* to, const RegionCode& code) {
  Builder ir(from);
  Value* size = given(kLocalSize);
  if (code.choose != nullptr) {
    build_chosen_row(from, to, code);
    return;
  }
  if (code.full == nullptr) {
    items(code.item, from, to, ir.getInt64(0), size, 1);
    return;
  }
  if (code.rows != nullptr) {
    items(code.rows, from, to, ir.getInt64(0), size, code.width);
    return;
  }
  BasicBlock* rest = block("rest");
  Value* whole = ir.CreateAnd(size, ~std::uint64_t{code.width - 1});
  build_vectors(ir, rest, whole, code);
  BasicBlock* part = block("part");
  ir.SetInsertPoint(rest);
  ir.CreateCondBr(ir.CreateICmpNE(whole, size), part, to);
  ir.SetInsertPoint(part);
  if (code.part == nullptr) {
    items(code.item, part, to, whole, size, 1);
    return;
  }
  call(code.part, ir, whole, {live_lanes(ir, ir.CreateSub(size, whole), code.width)});
  ir.CreateBr(to);
}

// The items before `end`, a multiple of the width.
void GroupBuilder::build_vectors(Builder& ir, BasicBlock* to, Value* end, const RegionCode& code) {
  Value* begin = ir.getInt64(0);
  for (const VectorsOfRow& vectors : code.vectors) {
    const std::uint64_t step = std::uint64_t{code.width} * vectors.count;
    BasicBlock *several = block("several"), *left = block("left");
    Value* several_end = ir.CreateAnd(end, ~(step - 1));
    ir.CreateCondBr(ir.CreateICmpNE(several_end, begin), several, left);
    items(vectors.function, several, left, begin, several_end, step);
    ir.SetInsertPoint(left);
    begin = several_end;
  }
  BasicBlock* vectors = block("vectors");
  ir.CreateCondBr(ir.CreateICmpNE(begin, end), vectors, to);
  items(code.full, vectors, to, begin, end, code.width);
}

// Pieces of the row: a flag for each item, a list of those whose flag is set, and then these.
void GroupBuilder::build_chosen_row(BasicBlock* from, BasicBlock* to, const RegionCode& code) {
  constexpr std::uint64_t kPiece = 2048, kWord = 64;
  Value* size = given(kLocalSize);
  Builder top(entry_, entry_->begin());
  ChosenItems chosen;
  const auto array = [&](llvm::Type* of, std::uint64_t count, const char* name) {
    llvm::AllocaInst* made = top.CreateAlloca(llvm::ArrayType::get(of, count), nullptr, name);
    made->setAlignment(llvm::Align(kWord));
    return made;
  };
  llvm::AllocaInst* flags = array(top.getInt8Ty(), kPiece, "flags");
  if (code.places) chosen.places = array(top.getInt64Ty(), kPiece, "places");
  chosen.list = array(top.getInt32Ty(), kPiece + std::max<std::uint64_t>(kListedAtOnce, kCompressedAtOnce), "list");
  chosen.count = top.CreateAlloca(top.getInt64Ty(), nullptr, "count");

  const Counter piece = open("piece", ir_.getInt64(0), from);
  Builder ir(piece.header);
  chosen.begin = piece.value;
  Value* end = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size, ir.CreateAdd(piece.value, ir.getInt64(kPiece)));
  Value* count = ir.CreateSub(end, piece.value, "", true, true);
  auto* word = llvm::FixedVectorType::get(ir.getInt8Ty(), kWord);
  // Of the last word, not all flags may be told.
  Value* last = ir.CreateAnd(ir.CreateSub(count, ir.getInt64(1)), ~(kWord - 1));
  ir.CreateAlignedStore(llvm::Constant::getNullValue(word), ir.CreatePtrAdd(flags, last), llvm::Align(kWord));
  ir.CreateStore(ir.getInt64(0), chosen.count);
  BasicBlock *list = block("list"), *run = block("run");
  build_choice(ir, list, code, piece.value, end, flags, chosen.places);
  const Counter words = open("word", ir_.getInt64(0), list);
  ir.SetInsertPoint(words.header);
  Value* set = ir.CreateIsNotNull(ir.CreateAlignedLoad(word, ir.CreatePtrAdd(flags, words.value), llvm::Align(kWord)));
  if (code.compresses) {
    compress_chosen(ir, words.latch, chosen, words.value, set);
  } else {
    list_chosen(ir, words.latch, chosen, words.value, ir.CreateBitCast(set, ir.getInt64Ty()));
  }
  close(words, count, run, kWord);
  ir.SetInsertPoint(run);
  run_chosen(ir, piece.latch, code, chosen);
  close(piece, size, to, kPiece);
}

// Tells which of the items x from `begin` to `end` run: flags[x - begin], places[x - begin].
void GroupBuilder::build_choice(Builder& ir, BasicBlock* to, const RegionCode& code, Value* begin, Value* end,
                                Value* flags, Value* places) {
  Value* here = ir.CreatePtrAdd(flags, ir.CreateNeg(begin));
  Value* places_here = llvm::ConstantPointerNull::get(ir.getPtrTy());
  if (places != nullptr) places_here = ir.CreateGEP(ir.getInt64Ty(), places, ir.CreateNeg(begin));
  BasicBlock *vectors = block("choose"), *rest = block("rest"), *part = block("part");
  Value* whole = ir.CreateAnd(end, ~std::uint64_t{code.width - 1});
  ir.CreateCondBr(ir.CreateICmpNE(whole, begin), vectors, rest);
  const Counter x = open("x", begin, vectors);
  ir.SetInsertPoint(x.header);
  call(code.choose, ir, x.value, {here, places_here});
  ir.CreateBr(x.latch);
  close(x, whole, rest, code.width);
  ir.SetInsertPoint(rest);
  ir.CreateCondBr(ir.CreateICmpNE(whole, end), part, to);
  ir.SetInsertPoint(part);
  call(code.choose_part, ir, whole, {here, places_here, live_lanes(ir, ir.CreateSub(end, whole), code.width)});
  ir.CreateBr(to);
}

// Adds first + bit for the set `bits` to the list: some at once, whether there are so many or not, since how many there
// are nobody can foresee.
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
  for (std::uint64_t i = 0; i < kListedAtOnce; ++i) {
    Value* bit = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, ir.getFalse());
    Value* item = ir.CreateTrunc(ir.CreateAdd(first, bit), ir.getInt32Ty());
    ir.CreateStore(item, ir.CreateInBoundsGEP(ir.getInt32Ty(), chosen.list, ir.CreateAdd(at, ir.getInt64(i))));
    rest = ir.CreateAnd(rest, ir.CreateSub(rest, ir.getInt64(1)));
  }
  left->addIncoming(rest, some);
  at->addIncoming(ir.CreateAdd(at, ir.getInt64(kListedAtOnce)), some);
  ir.CreateCondBr(ir.CreateIsNotNull(rest), some, done);
  ir.SetInsertPoint(done);
  ir.CreateStore(ir.CreateAdd(count, ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits)), chosen.count);
  ir.CreateBr(to);
}

// The same of a vector of i1, where compressing is one instruction.
void GroupBuilder::compress_chosen(Builder& ir, BasicBlock* to, const ChosenItems& chosen, Value* first, Value* set) {
  auto* items = llvm::FixedVectorType::get(ir.getInt32Ty(), kCompressedAtOnce);
  const unsigned flags = llvm::cast<llvm::FixedVectorType>(set->getType())->getNumElements();
  Value* count = ir.CreateLoad(ir.getInt64Ty(), chosen.count);
  for (unsigned from = 0; from < flags; from += kCompressedAtOnce) {
    llvm::SmallVector<int, kCompressedAtOnce> lanes(kCompressedAtOnce);
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(from));
    llvm::SmallVector<llvm::Constant*, kCompressedAtOnce> numbers;
    for (const int lane : lanes) numbers.push_back(ir.getInt32(static_cast<std::uint32_t>(lane)));
    Value* some = ir.CreateShuffleVector(set, lanes);
    Value* here = ir.CreateVectorSplat(kCompressedAtOnce, ir.CreateTrunc(first, ir.getInt32Ty()));
    Value* listed = ir.CreateIntrinsic(
        llvm::Intrinsic::experimental_vector_compress, {items},
        {ir.CreateAdd(here, llvm::ConstantVector::get(numbers)), some, llvm::PoisonValue::get(items)});
    ir.CreateAlignedStore(listed, ir.CreateInBoundsGEP(ir.getInt32Ty(), chosen.list, count), llvm::Align(4));
    Value* bits = ir.CreateBitCast(some, ir.getIntNTy(kCompressedAtOnce));
    count = ir.CreateAdd(count, ir.CreateZExt(ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits), ir.getInt64Ty()));
  }
  ir.CreateStore(count, chosen.count);
  ir.CreateBr(to);
}

// The items of the list; what one will read first is on its way while others run.
void GroupBuilder::run_chosen(Builder& ir, BasicBlock* to, const RegionCode& code, const ChosenItems& chosen) {
  constexpr std::uint64_t kAhead = 12;
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
    Value* ahead = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir.CreateAdd(at.value, ir.getInt64(kAhead)),
                                            ir.CreateSub(count, ir.getInt64(1)));
    Value* place = ir.CreateLoad(ir.getInt64Ty(), ir.CreateInBoundsGEP(ir.getInt64Ty(), chosen.places, listed(ahead)));
    ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {ir.getPtrTy()},
                       {ir.CreateIntToPtr(place, ir.getPtrTy()), ir.getInt32(kForReading), ir.getInt32(kIntoAllCaches),
                        ir.getInt32(kData)});
  }
  call(code.item, ir, ir.CreateAdd(chosen.begin, listed(at.value), "", true, true), {});
  ir.CreateBr(at.latch);
  close(at, count, to);
}

void GroupBuilder::items(llvm::Function* code, BasicBlock* from, BasicBlock* to, Value* begin, Value* end,
                         std::uint64_t step) {
  const Counter x = open("x", begin, from);
  Builder ir(x.header);
  call(code, ir, x.value, {});
  ir.CreateBr(x.latch);
  close(x, end, to, step);
}

// `more`: what this form of the region takes besides.
void GroupBuilder::call(llvm::Function* code, Builder& ir, Value* x, llvm::ArrayRef<Value*> more) {
  given(kLocalId) = x;
  llvm::SmallVector<Value*, 48> operands(values_.begin(), values_.end());
  operands.push_back(next_);
  operands.append(in_values_.begin(), in_values_.end());
  operands.append(outs_.begin(), outs_.end());
  operands.append(more.begin(), more.end());
  calls_.push_back(ir.CreateCall(code, operands));
}

}  // namespace skmd::codegen
