// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/groups/group_builder.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

llvm::Value* GroupBuilder::live_lanes(Builder& ir, Value* count, unsigned width) {
  llvm::SmallVector<llvm::Constant*, 32> numbers;
  for (unsigned lane = 0; lane < width; ++lane) numbers.push_back(ir.getInt32(lane));
  Value* bound = ir.CreateVectorSplat(width, ir.CreateTrunc(count, ir.getInt32Ty()));
  return ir.CreateICmpULT(llvm::ConstantVector::get(numbers), bound);
}

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
  (this->*(code.writes_out ? &GroupBuilder::few_items : &GroupBuilder::items))(code.full, vectors, to, begin, end,
                                                                               code.width);
}

// `begin` and `end` are constants.
void GroupBuilder::few_items(llvm::Function* code, BasicBlock* from, BasicBlock* to, Value* begin, Value* end,
                             std::uint64_t step) {
  Builder ir(from);
  const std::uint64_t last = llvm::cast<llvm::ConstantInt>(end)->getZExtValue();
  for (std::uint64_t x = llvm::cast<llvm::ConstantInt>(begin)->getZExtValue(); x < last; x += step) {
    BasicBlock* here = block("x");
    ir.CreateBr(here);
    ir.SetInsertPoint(here);
    call(code, ir, ir.getInt64(x), {});
  }
  ir.CreateBr(to);
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
