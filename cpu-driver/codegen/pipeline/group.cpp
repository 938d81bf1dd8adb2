// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/group.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <array>
#include <cstddef>

#include "cpu-driver/codegen/pipeline/item.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

// One loop, from its header to where it goes on.
struct Counter {
  BasicBlock* header = nullptr;
  BasicBlock* latch = nullptr;
  llvm::PHINode* value = nullptr;
};

class GroupBuilder {
 public:
  GroupBuilder(const llvm::Function& kernel, const std::string& symbol, const Regions& regions, const GroupCode& code)
      : kernel_(kernel),
        context_(kernel.getContext()),
        regions_(regions),
        code_(code),
        arguments_(static_cast<unsigned>(kernel.arg_size())),
        ir_(context_) {
    made_ = declare_kernel(*const_cast<llvm::Module*>(kernel.getParent()), symbol);
  }

  llvm::Function* build() {
    entry_ = block("entry");
    exit_ = block("exit");
    IRBuilder<>(exit_).CreateRetVoid();
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

 private:
  BasicBlock* block(const char* name) { return BasicBlock::Create(context_, name, made_); }
  Value* field(std::size_t offset) {
    return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), made_->getArg(0), offset));
  }
  void fields(unsigned to, std::size_t offset) {
    for (unsigned d = 0; d < 3; ++d) given(to + d) = field(offset + d * sizeof(std::uint64_t));
  }
  // What regions are given; `value` as in item.h.
  Value*& given(unsigned value) { return values_[arguments_ + value]; }

  void load_frame() {
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

  Value* pad(Value* row) {
    if (code_.padding == 1) return row;
    const std::uint64_t rest = code_.padding - 1;
    return ir_.CreateAnd(ir_.CreateAdd(row, ir_.getInt64(rest)), ~rest);
  }

  void load_arguments() {
    Value* list = ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), made_->getArg(0),
                                                                                offsetof(cpu::SpanFrame, arguments)));
    for (const llvm::Argument& argument : kernel_.args()) {
      const std::size_t slot = argument.getArgNo() * sizeof(cpu::SpanArgument) + offsetof(cpu::SpanArgument, bytes);
      Value* place = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), list, slot);
      Value* bytes = ir_.CreateLoad(ir_.getPtrTy(), place);
      values_[argument.getArgNo()] = value_of(argument, bytes);
    }
  }

  Value* value_of(const llvm::Argument& argument, Value* bytes) {
    llvm::Type* type = argument.getType();
    if (!type->isPointerTy()) return ir_.CreateAlignedLoad(type, bytes, llvm::Align(1));
    if (type->getPointerAddressSpace() == kLocalSpace)
      return ir_.CreateAddrSpaceCast(ir_.CreatePtrAdd(made_->getArg(3), ir_.CreatePtrToInt(bytes, ir_.getInt64Ty())),
                                     type);
    return ir_.CreatePointerBitCastOrAddrSpaceCast(bytes, type);
  }

  void make_group_values() {
    next_ = ir_.CreateAlloca(ir_.getInt32Ty(), nullptr, "next");
    for (llvm::Type* type : regions_.group_values) {
      ins_.push_back(ir_.CreateAlloca(type, nullptr, "in"));
      outs_.push_back(ir_.CreateAlloca(type, nullptr, "out"));
    }
  }

  // Every size is at least 1, so loops are entered without asking.
  Counter open(const char* name, Value* start, BasicBlock* from) {
    Counter counter{block(name), block(name), nullptr};
    IRBuilder<> ir(from);
    ir.CreateBr(counter.header);
    ir.SetInsertPoint(counter.header);
    counter.value = ir.CreatePHI(ir.getInt64Ty(), 2, name);
    counter.value->addIncoming(start, from);
    return counter;
  }
  void close(const Counter& counter, Value* end, BasicBlock* to, std::uint64_t step = 1) {
    IRBuilder<> ir(counter.latch);
    Value* next = ir.CreateAdd(counter.value, ir.getInt64(step), "", true, true);
    ir.CreateCondBr(ir.CreateICmpULT(next, end), counter.header, to);
    counter.value->addIncoming(next, counter.latch);
  }

  void build_groups() {
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
      given(kGroup + d) = ids[d];
    }
    for (unsigned d = 0; d < 3; ++d)
      given(kFirst + d) = ir_.CreateAdd(given(kOffset + d), ir_.CreateMul(ids[d], given(kLocalSize + d)));
    build_regions(group.header, group.latch);
    next_group(group, ids);
    close(group, last, exit_);
  }

  void next_group(const Counter& group, const std::array<llvm::PHINode*, 3>& ids) {
    IRBuilder<> ir(group.latch);
    Value* carry = ir.getTrue();
    for (unsigned d = 0; d < 3; ++d) {
      Value* next = ir.CreateAdd(ids[d], ir.CreateZExt(carry, ir.getInt64Ty()));
      carry = ir.CreateICmpEQ(next, given(kGroups + d));
      ids[d]->addIncoming(ir.CreateSelect(carry, ir.getInt64(0), next), group.latch);
    }
  }

  void build_regions(BasicBlock* from, BasicBlock* to) {
    std::vector<BasicBlock*> starts;
    for (std::size_t k = 0; k < regions_.regions.size(); ++k) starts.push_back(block("region"));
    IRBuilder<>(from).CreateBr(starts[0]);
    const auto place_of = [&](unsigned number) { return number == kEnd ? to : starts[number]; };
    for (std::size_t k = 0; k < regions_.regions.size(); ++k) {
      BasicBlock* after = block("after");
      build_items(starts[k], after, static_cast<unsigned>(k));
      IRBuilder<> ir(after);
      // An out value becomes an in value once no item of the region will read that any more.
      for (std::size_t i = 0; i < ins_.size(); ++i)
        ir.CreateStore(ir.CreateLoad(regions_.group_values[i], outs_[i]), ins_[i]);
      const std::vector<unsigned>& next = regions_.regions[k].next;
      if (next.empty()) {  // items never come back
        ir.CreateBr(to);
      } else if (next.size() == 1) {
        ir.CreateBr(place_of(next.front()));
      } else {
        llvm::SwitchInst* choice = ir.CreateSwitch(ir.CreateLoad(ir.getInt32Ty(), next_), to);
        for (const unsigned number : next)
          if (number != kEnd) choice->addCase(ir.getInt32(number), starts[number]);
      }
    }
  }

  void build_items(BasicBlock* from, BasicBlock* to, unsigned number) {
    IRBuilder<> ir(from);
    ir.CreateStore(ir.getInt32(kEnd), next_);
    in_values_.clear();
    for (std::size_t i = 0; i < ins_.size(); ++i)
      in_values_.push_back(ir.CreateLoad(regions_.group_values[i], ins_[i]));
    const Counter z = open("z", ir.getInt64(0), from);
    const Counter y = open("y", ir.getInt64(0), z.header);
    given(kLocalId + 1) = y.value;
    given(kLocalId + 2) = z.value;
    ir.SetInsertPoint(y.header);
    Value* row = ir.CreateAdd(ir.CreateMul(z.value, given(kLocalSize + 1), "", true, true), y.value, "", true, true);
    given(kRow) = ir.CreateMul(row, padded_, "", true, true);
    build_row(y.header, y.latch, code_.regions[number]);
    close(y, given(kLocalSize + 1), z.latch, code_.regions[number].row_count);
    close(z, given(kLocalSize + 2), to);
  }

  void build_row(BasicBlock* from, BasicBlock* to, const RegionCode& code) {
    IRBuilder<> ir(from);
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
  void build_vectors(IRBuilder<>& ir, BasicBlock* to, Value* end, const RegionCode& code) {
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

  // Pieces of the row: a flag for each item, and then those whose flag is set.
  void build_chosen_row(BasicBlock* from, BasicBlock* to, const RegionCode& code) {
    constexpr std::uint64_t kPiece = 1024, kWord = 64;
    Value* size = given(kLocalSize);
    llvm::Type* flags_type = llvm::ArrayType::get(ir_.getInt8Ty(), kPiece);
    llvm::AllocaInst* flags = IRBuilder<>(entry_, entry_->begin()).CreateAlloca(flags_type, nullptr, "flags");
    flags->setAlignment(llvm::Align(kWord));
    const Counter piece = open("piece", ir_.getInt64(0), from);
    IRBuilder<> ir(piece.header);
    Value* end = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size, ir.CreateAdd(piece.value, ir.getInt64(kPiece)));
    Value* here = ir.CreatePtrAdd(flags, ir.CreateNeg(piece.value));
    auto* word = llvm::FixedVectorType::get(ir.getInt8Ty(), kWord);
    // Of the last word, not all flags may be told.
    Value* last = ir.CreateAnd(ir.CreateSub(end, ir.getInt64(1)), ~(kWord - 1));
    ir.CreateAlignedStore(llvm::Constant::getNullValue(word), ir.CreatePtrAdd(here, last), llvm::Align(kWord));
    BasicBlock* run = block("run");
    build_choice(ir, run, code, piece.value, end, here);
    const Counter words = open("word", piece.value, run);
    ir.SetInsertPoint(words.header);
    Value* set = ir.CreateIsNotNull(ir.CreateAlignedLoad(word, ir.CreatePtrAdd(here, words.value), llvm::Align(kWord)));
    run_chosen(ir, words.latch, code, words.value, ir.CreateBitCast(set, ir.getInt64Ty()));
    close(words, end, piece.latch, kWord);
    close(piece, size, to, kPiece);
  }

  // Tells at `flags` + x which of the items x from `begin` to `end` run.
  void build_choice(IRBuilder<>& ir, BasicBlock* to, const RegionCode& code, Value* begin, Value* end, Value* flags) {
    BasicBlock *vectors = block("choose"), *rest = block("rest"), *part = block("part");
    Value* whole = ir.CreateAnd(end, ~std::uint64_t{code.width - 1});
    ir.CreateCondBr(ir.CreateICmpNE(whole, begin), vectors, rest);
    const Counter x = open("x", begin, vectors);
    ir.SetInsertPoint(x.header);
    call(code.choose, ir, x.value, {flags});
    ir.CreateBr(x.latch);
    close(x, whole, rest, code.width);
    ir.SetInsertPoint(rest);
    ir.CreateCondBr(ir.CreateICmpNE(whole, end), part, to);
    ir.SetInsertPoint(part);
    call(code.choose_part, ir, whole, {flags, live_lanes(ir, ir.CreateSub(end, whole), code.width)});
    ir.CreateBr(to);
  }

  // The items first + bit for the set `bits`.
  void run_chosen(IRBuilder<>& ir, BasicBlock* to, const RegionCode& code, Value* first, Value* bits) {
    BasicBlock *test = block("any"), *body = block("chosen"), *from = ir.GetInsertBlock();
    ir.CreateBr(test);
    ir.SetInsertPoint(test);
    llvm::PHINode* left = ir.CreatePHI(ir.getInt64Ty(), 2, "left");
    left->addIncoming(bits, from);
    ir.CreateCondBr(ir.CreateIsNotNull(left), body, to);
    ir.SetInsertPoint(body);
    Value* bit = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, ir.getTrue());
    call(code.item, ir, ir.CreateAdd(first, bit, "", true, true), {});
    left->addIncoming(ir.CreateAnd(left, ir.CreateSub(left, ir.getInt64(1))), body);
    ir.CreateBr(test);
  }

  static Value* live_lanes(IRBuilder<>& ir, Value* count, unsigned width) {
    llvm::SmallVector<llvm::Constant*, 32> numbers;
    for (unsigned lane = 0; lane < width; ++lane) numbers.push_back(ir.getInt32(lane));
    Value* bound = ir.CreateVectorSplat(width, ir.CreateTrunc(count, ir.getInt32Ty()));
    return ir.CreateICmpULT(llvm::ConstantVector::get(numbers), bound);
  }

  void items(llvm::Function* code, BasicBlock* from, BasicBlock* to, Value* begin, Value* end, std::uint64_t step) {
    const Counter x = open("x", begin, from);
    IRBuilder<> ir(x.header);
    call(code, ir, x.value, {});
    ir.CreateBr(x.latch);
    close(x, end, to, step);
  }

  // `more`: what this form of the region takes besides.
  void call(llvm::Function* code, IRBuilder<>& ir, Value* x, llvm::ArrayRef<Value*> more) {
    given(kLocalId) = x;
    llvm::SmallVector<Value*, 48> operands(values_.begin(), values_.end());
    operands.push_back(next_);
    operands.append(in_values_.begin(), in_values_.end());
    operands.append(outs_.begin(), outs_.end());
    operands.append(more.begin(), more.end());
    calls_.push_back(ir.CreateCall(code, operands));
  }

  const llvm::Function& kernel_;
  llvm::LLVMContext& context_;
  const Regions& regions_;
  const GroupCode& code_;
  unsigned arguments_;
  IRBuilder<> ir_;
  llvm::Function* made_ = nullptr;
  BasicBlock *entry_ = nullptr, *exit_ = nullptr;
  std::vector<Value*> values_;  // what regions are given
  Value* padded_ = nullptr;     // items of a row, with padding
  Value* next_ = nullptr;
  std::vector<Value*> ins_, outs_, in_values_;
  std::vector<llvm::CallInst*> calls_;
};

}  // namespace

llvm::Function* declare_kernel(llvm::Module& module, const std::string& symbol) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer}, false);
  llvm::Function* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module);
  made->setDoesNotThrow();
  made->addFnAttr("no-builtins");  // a call of memset has nowhere to go
  made->getArg(3)->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(cpu::kScratchAlignment)));
  return made;
}

llvm::Function* make_group_function(const llvm::Function& kernel, const std::string& symbol, const Regions& regions,
                                    const GroupCode& code) {
  return GroupBuilder(kernel, symbol, regions, code).build();
}

llvm::Function* make_choice(const std::string& symbol, llvm::Function* joined, llvm::Function& limited,
                            std::uint64_t limit, llvm::Function& general) {
  llvm::Function* made = declare_kernel(*limited.getParent(), symbol);
  llvm::LLVMContext& context = made->getContext();
  IRBuilder<> ir(BasicBlock::Create(context, "entry", made));
  const auto field = [&](std::size_t offset) {
    return ir.CreateLoad(ir.getInt64Ty(), ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), made->getArg(0), offset));
  };
  Value* fits = ir.getTrue();
  for (std::size_t d = 0; d < 3; ++d) {
    Value* offset = field(offsetof(cpu::SpanFrame, global_offset) + d * sizeof(std::uint64_t));
    Value* size = field(offsetof(cpu::SpanFrame, global_size) + d * sizeof(std::uint64_t));
    fits = ir.CreateAnd(fits, ir.CreateICmpULE(offset, ir.getInt64(limit)));
    fits = ir.CreateAnd(fits, ir.CreateICmpULE(size, ir.getInt64(limit)));
    fits = ir.CreateAnd(fits, ir.CreateICmpULE(ir.CreateAdd(offset, size), ir.getInt64(limit)));
  }
  const auto local = [&](std::size_t d) {
    return field(offsetof(cpu::SpanFrame, local_size) + d * sizeof(std::uint64_t));
  };
  // The frame is only read, so that nothing is lost by asking all at once.
  Value* one_row = ir.CreateAnd(ir.CreateICmpEQ(local(1), ir.getInt64(1)), ir.CreateICmpEQ(local(2), ir.getInt64(1)));
  Value* has_neighbours = ir.CreateICmpNE(local(0), ir.getInt64(1));
  const llvm::SmallVector<Value*, 4> operands{made->getArg(0), made->getArg(1), made->getArg(2), made->getArg(3)};
  const auto call = [&](llvm::Function& callee) {
    callee.setLinkage(llvm::GlobalValue::InternalLinkage);
    ir.CreateCall(&callee, operands)->setTailCall();
    ir.CreateRetVoid();
  };
  const auto call_if = [&](Value* condition, llvm::Function& callee) {
    auto* yes = BasicBlock::Create(context, "yes", made);
    auto* no = BasicBlock::Create(context, "no", made);
    ir.CreateCondBr(condition, yes, no);
    ir.SetInsertPoint(yes);
    call(callee);
    ir.SetInsertPoint(no);
  };
  if (joined != nullptr) call_if(ir.CreateAnd(fits, one_row), *joined);
  call_if(ir.CreateAnd(fits, has_neighbours), limited);
  call(general);
  return made;
}

}  // namespace skmd::codegen
