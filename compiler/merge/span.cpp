// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/span.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "compiler/analysis/kernel_view.h"
#include "compiler/ir/builtin.h"
#include "compiler/ir/geometry.h"
#include "compiler/ir/guard_divisions.h"
#include "compiler/merge/guard.h"
#include "compiler/merge/merge_constants.h"
#include "compiler/merge/units.h"
#include "cpu-driver/span_code.h"

namespace skmd::compiler {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;
using Triple = Geometry::Triple;

// One loop of the nest, from its header to where it goes on.
struct Counter {
  BasicBlock* header = nullptr;
  BasicBlock* latch = nullptr;
  llvm::PHINode* value = nullptr;
};

class SpanBuilder {
 public:
  SpanBuilder(llvm::Function& kernel, const std::string& name)
      : kernel_(kernel), module_(*kernel.getParent()), context_(kernel.getContext()), name_(name), ir_(context_) {
    llvm::Type* i64 = ir_.getInt64Ty();
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ir_.getPtrTy(), i64, i64}, false);
    span_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, cpu::merge_symbol(name), module_);
    span_->setDoesNotThrow();
    span_->addFnAttr("no-builtins");  // a call of memset has nowhere to go
    frame_ = span_->getArg(0);
    first_ = span_->getArg(1);
    last_ = span_->getArg(2);
  }

  llvm::Function* build() {
    entry_ = block("entry");
    exit_ = block("exit");
    ir_.SetInsertPoint(entry_);
    load_geometry();
    load_arguments();
    build_nest();
    take_body();
    return span_;
  }

 private:
  BasicBlock* block(const char* name) { return BasicBlock::Create(context_, name, span_); }
  Value* number(std::uint64_t value) { return ir_.getInt64(value); }
  Value* field(std::size_t offset) {
    return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreatePtrAdd(frame_, number(offset)));
  }
  Triple fields(std::size_t offset) { return {field(offset), field(offset + 8), field(offset + 16)}; }

  void load_geometry() {
    at_.work_dim = field(offsetof(cpu::SpanFrame, work_dim));
    at_.offset = fields(offsetof(cpu::SpanFrame, global_offset));
    at_.size = fields(offsetof(cpu::SpanFrame, global_size));
    at_.groups = fields(offsetof(cpu::SpanFrame, group_count));
    at_.local = fields(offsetof(cpu::SpanFrame, local_size));
  }

  void load_arguments() {
    const llvm::DataLayout& layout = module_.getDataLayout();
    Value* list = ir_.CreateLoad(ir_.getPtrTy(), ir_.CreatePtrAdd(frame_, number(offsetof(cpu::SpanFrame, arguments))));
    for (llvm::Argument& argument : kernel_.args()) {
      if (argument.use_empty()) continue;
      Value* slot = ir_.CreatePtrAdd(list, number(argument.getArgNo() * sizeof(cpu::SpanArgument)));
      const auto part = [&](std::size_t offset) {
        return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreatePtrAdd(slot, number(offset)));
      };
      Value* bytes = part(offsetof(cpu::SpanArgument, bytes));
      if (argument.getType()->isPointerTy()) {
        values_[&argument] = ir_.CreateIntToPtr(bytes, argument.getType());
        if (may_reach_buffer(argument)) extents_[&argument] = {bytes, part(offsetof(cpu::SpanArgument, size))};
        continue;
      }
      if (layout.getTypeStoreSize(argument.getType()).isScalable()) continue;
      Value* place = ir_.CreateIntToPtr(bytes, ir_.getPtrTy());
      values_[&argument] = ir_.CreateAlignedLoad(argument.getType(), place, llvm::Align(1));
    }
  }

  // Kernels that divide their index store rows of that length. A strip is so many neighbours in dimension 0 whose ids
  // differ in their last bits only: what follows from the other bits does not change in it.
  unsigned strip_bits() const {
    unsigned bits = tuning::kMaxStripBits + 1;
    for (const llvm::Instruction& instruction : llvm::instructions(kernel_)) {
      const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      const auto* by = operation == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
      if (by == nullptr) continue;
      const llvm::APInt& value = by->getValue();
      unsigned found = 0;
      if (operation->getOpcode() == llvm::Instruction::LShr) found = static_cast<unsigned>(value.getLimitedValue(64));
      if (operation->getOpcode() == llvm::Instruction::And)
        found = value.isMask() ? value.countr_one() : value.isNegatedPowerOf2() ? value.countr_zero() : 0;
      if (found >= tuning::kLeastStripBits) bits = std::min(bits, found);
    }
    return bits > tuning::kMaxStripBits ? 0 : bits;
  }

  // Every size is at least 1, so loops are entered without asking.
  Counter open(const char* name, Value* start, BasicBlock* from) {
    Counter counter{block(name), block(name), nullptr};
    IRBuilder<> ir(from);
    ir.CreateBr(counter.header);
    ir.SetInsertPoint(counter.header);
    counter.value = ir.CreatePHI(ir.getInt64Ty(), 2);
    counter.value->addIncoming(start, from);
    return counter;
  }
  void close(const Counter& counter, Value* end, BasicBlock* to) {
    IRBuilder<> ir(counter.latch);
    Value* next = ir.CreateAdd(counter.value, ir.getInt64(1));
    ir.CreateCondBr(ir.CreateICmpULT(next, end), counter.header, to);
    counter.value->addIncoming(next, counter.latch);
  }

  void build_nest() {
    BasicBlock* setup = block("setup");
    ir_.CreateCondBr(ir_.CreateICmpULT(first_, last_), setup, exit_);
    ir_.SetInsertPoint(setup);
    const Triple start = {ir_.CreateURem(first_, at_.groups[0]),
                          ir_.CreateURem(ir_.CreateUDiv(first_, at_.groups[0]), at_.groups[1]),
                          ir_.CreateUDiv(ir_.CreateUDiv(first_, at_.groups[0]), at_.groups[1])};
    const Counter group = open("group", first_, setup);
    IRBuilder<> ir(group.header);
    std::array<llvm::PHINode*, 3> ids{};
    for (unsigned d = 0; d < 3; ++d) {
      ids[d] = ir.CreatePHI(ir.getInt64Ty(), 2);
      ids[d]->addIncoming(start[d], setup);
      at_.group_id[d] = ids[d];
    }
    const Counter z = open("z", ir.getInt64(0), group.header);
    const Counter y = open("y", ir.getInt64(0), z.header);
    at_.local_id = {nullptr, y.value, z.value};
    strip_bits_ = strip_bits();
    if (strip_bits_ == 0) {
      inner_ = open("x", ir.getInt64(0), y.header);
      at_.local_id[0] = inner_.value;
      close(inner_, at_.local[0], y.latch);
    } else {
      build_strips(y);
    }
    close(y, at_.local[1], z.latch);
    close(z, at_.local[2], group.latch);
    next_group(group, ids);
    close(group, last_, exit_);
    IRBuilder<>(exit_).CreateRetVoid();
  }

  // The items of a row of the group, by strips of the ids; the first and the last strip may be parts.
  void build_strips(const Counter& y) {
    const unsigned bits = strip_bits_;
    const std::uint64_t size = std::uint64_t{1} << bits;
    IRBuilder<> ir(y.header);
    Value* begin = ir.CreateAdd(at_.offset[0], ir.CreateMul(at_.group_id[0], at_.local[0]));
    Value* skipped = ir.CreateAnd(begin, size - 1);
    Value* last = ir.CreateAdd(skipped, ir.CreateSub(at_.local[0], ir.getInt64(1)));
    Value* last_strip = ir.CreateLShr(last, bits);
    const Counter strip = open("strip", ir.getInt64(0), y.header);
    ir.SetInsertPoint(strip.header);
    Value* from = ir.CreateSelect(ir.CreateICmpEQ(strip.value, ir.getInt64(0)), skipped, ir.getInt64(0));
    Value* end = ir.CreateSelect(ir.CreateICmpEQ(strip.value, last_strip),
                                 ir.CreateAdd(ir.CreateAnd(last, size - 1), ir.getInt64(1)), ir.getInt64(size));
    Value* high = ir.CreateShl(ir.CreateAdd(ir.CreateLShr(begin, bits), strip.value), bits);
    inner_ = open("x", from, strip.header);
    ir.SetInsertPoint(inner_.header);
    at_.global_id_0 = ir.CreateOr(high, ir.CreateAnd(inner_.value, size - 1), "", true);
    halves_ = {high, llvm::cast<llvm::Instruction>(at_.global_id_0)->getOperand(1)};
    at_.local_id[0] = ir.CreateSub(at_.global_id_0, begin);
    close(inner_, end, strip.latch);
    close(strip, IRBuilder<>(y.header->getTerminator()).CreateAdd(last_strip, ir.getInt64(1)), y.latch);
  }

  void next_group(const Counter& group, const std::array<llvm::PHINode*, 3>& ids) {
    IRBuilder<> ir(group.latch);
    Value* carry = ir.getTrue();
    for (unsigned d = 0; d < 3; ++d) {
      Value* next = ir.CreateAdd(ids[d], ir.CreateZExt(carry, ir.getInt64Ty()));
      carry = ir.CreateICmpEQ(next, at_.groups[d]);
      ids[d]->addIncoming(ir.CreateSelect(carry, ir.getInt64(0), next), group.latch);
    }
  }

  void take_body() {
    std::vector<BasicBlock*> body;
    for (BasicBlock& part : kernel_) body.push_back(&part);
    BasicBlock* start = body.front();
    span_->splice(span_->end(), &kernel_);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*start))
      if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(entry_->getFirstInsertionPt());
    for (BasicBlock* part : body) {
      auto* end = llvm::dyn_cast<llvm::ReturnInst>(part->getTerminator());
      if (end == nullptr) continue;
      IRBuilder<>(end).CreateBr(inner_.latch);
      end->eraseFromParent();
    }
    for (BasicBlock* part : body) answer_queries(*part);
    guard_divisions(body);
    expand_transfers(body);
    body.clear();  // with what the expansion has split off
    for (auto part = start->getIterator(); part != span_->end(); ++part) body.push_back(&*part);
    guard_accesses(body, extents_, settle_units(body), *entry_->getTerminator(), false);
    for (const auto& [argument, value] : values_) const_cast<Value*>(argument)->replaceAllUsesWith(value);
    IRBuilder<>(inner_.header).CreateBr(start);
  }

  std::vector<std::uint8_t> settle_units(const std::vector<BasicBlock*>& body) {
    std::vector<std::uint8_t> units = store_units(body, kernel_.arg_size());
    llvm::Constant* bytes = llvm::ConstantDataArray::get(context_, units);
    new llvm::GlobalVariable(module_, bytes->getType(), true, llvm::GlobalValue::ExternalLinkage, bytes,
                             cpu::units_symbol(name_));
    return units;
  }

  void answer_queries(BasicBlock& part) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(part)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      const llvm::StringRef name = builtin_of(*call).name;
      if (!is_geometry(name)) continue;
      IRBuilder<> ir(call);
      Value* value = at_.answer(ir, name, call->arg_empty() ? nullptr : call->getArgOperand(0));
      if (value == at_.global_id_0) use_halves(*call, halves_[0], halves_[1]);
      call->replaceAllUsesWith(ir.CreateZExtOrTrunc(value, call->getType()));
      call->eraseFromParent();
    }
  }

  // LLVM does not derive from truncations which bits of an id are used.
  void use_halves(llvm::Instruction& id, Value* high, Value* low) {
    for (llvm::User* user : llvm::make_early_inc_range(id.users())) {
      if (auto* truncation = llvm::dyn_cast<llvm::TruncInst>(user)) {
        IRBuilder<> ir(truncation);
        use_halves(*truncation, ir.CreateTrunc(high, truncation->getType()),
                   ir.CreateTrunc(low, truncation->getType()));
        continue;
      }
      auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(user);
      const auto* by = operation == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
      if (by == nullptr) continue;
      const bool shifts = operation->getOpcode() == llvm::Instruction::LShr;
      const bool masks = operation->getOpcode() == llvm::Instruction::And;
      if (shifts ? by->getValue().uge(strip_bits_) : masks && by->getValue().countr_zero() >= strip_bits_)
        operation->setOperand(0, high);
      else if (masks && by->getValue().getActiveBits() <= strip_bits_)
        operation->setOperand(0, low);
    }
  }

  llvm::Function& kernel_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const std::string& name_;
  IRBuilder<> ir_;
  llvm::Function* span_ = nullptr;
  Value *frame_ = nullptr, *first_ = nullptr, *last_ = nullptr;
  BasicBlock *entry_ = nullptr, *exit_ = nullptr;
  Geometry at_;  // of the item that the loop nest is at
  llvm::DenseMap<const Value*, Value*> values_;
  Extents extents_;
  Counter inner_;
  unsigned strip_bits_ = 0;
  std::array<Value*, 2> halves_{};  // of at_.global_id_0, where there are strips: what one has in common, and the rest
};

}  // namespace

llvm::Function* make_span_function(llvm::Function& kernel, const std::string& name) {
  return SpanBuilder(kernel, name).build();
}

void optimise(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.run(function, analyses);
}

}  // namespace skmd::compiler
