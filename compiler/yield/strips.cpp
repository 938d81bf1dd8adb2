// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/strips.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/ir/address_spaces.h"

namespace skmd::compiler {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

llvm::FunctionCallee builtin(llvm::Module& module, llvm::StringRef name, llvm::Type* result) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, result, llvm::Type::getInt32Ty(module.getContext()));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function->setDoesNotThrow();
  return callee;
}

}  // namespace

Value* query_builtin(IRBuilder<>& ir, llvm::StringRef name, unsigned dimension) {
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = builtin(module, name, ir.getInt64Ty());
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  llvm::CallInst* call = ir.CreateCall(callee, {ir.getInt32(dimension)});
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  return call;
}

void add_barrier(IRBuilder<>& ir, unsigned flags) {
  llvm::FunctionCallee callee = builtin(*ir.GetInsertBlock()->getModule(), "_Z7barrierj", ir.getVoidTy());
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setConvergent();
  llvm::CallInst* call = ir.CreateCall(callee, {ir.getInt32(flags)});
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  call->setConvergent();
}

ItemIds make_ids(llvm::Instruction* before) {
  IRBuilder<> ir(before);
  Value* linear = query_builtin(ir, "_Z12get_local_idj", 2);
  Value* items = query_builtin(ir, "_Z14get_local_sizej", 2);
  for (unsigned dimension : {1u, 0u}) {
    Value* size = query_builtin(ir, "_Z14get_local_sizej", dimension);
    linear = ir.CreateAdd(ir.CreateMul(linear, size), query_builtin(ir, "_Z12get_local_idj", dimension));
    items = ir.CreateMul(items, size);
  }
  return {linear, items};
}

StripMaker::StripMaker(llvm::Function& kernel, KernelUniformity& uniformity, const ItemIds& ids, llvm::AllocaInst& slot,
                       bool together)
    : kernel_(kernel), uniformity_(uniformity), ids_(ids), slot_(slot), together_(together) {
  if (!together) return;
  llvm::Type* words = llvm::ArrayType::get(llvm::Type::getInt32Ty(kernel.getContext()), 2);
  flags_ = new llvm::GlobalVariable(*kernel.getParent(), words, false, llvm::GlobalValue::InternalLinkage,
                                    llvm::UndefValue::get(words), kernel.getName() + ".skmd_yield", nullptr,
                                    llvm::GlobalValue::NotThreadLocal, kLocalSpace);
  flags_->setAlignment(llvm::Align(4));
}

PointBlocks StripMaker::add(const ChosenLoop& loop) {
  return loop.barrier != nullptr ? at_barrier(*loop.barrier) : at_end(loop);
}

// Read in the order of the program, and not by each item on its own: the word is the same for all that look together.
// Nothing is to be taken out of the loop, which a fence for the compiler alone achieves.
Value* StripMaker::control(IRBuilder<>& ir) const {
  ir.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  return ir.CreateAlignedLoad(ir.getInt32Ty(), kernel_.getArg(static_cast<unsigned>(kernel_.arg_size()) - 1),
                              llvm::Align(4), "control");
}

Value* StripMaker::flag(IRBuilder<>& ir) const {
  Value* turn = ir.CreateZExt(ir.CreateLoad(ir.getInt32Ty(), &slot_), ir.getInt64Ty());
  return ir.CreateInBoundsGEP(ir.getInt32Ty(), flags_, turn);
}

// One item looks for all of its group: they must not see different answers. Splits the block that `ir` stands in.
void StripMaker::tell_group(IRBuilder<>& ir) {
  Value* first = ir.CreateICmpEQ(ids_.linear, ir.getInt64(0));
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(first, ir.GetInsertPoint(), false);
  llvm::Instruction* next = &*ir.GetInsertPoint();
  ir.SetInsertPoint(then);
  Value* word = control(ir);
  ir.CreateAlignedStore(word, flag(ir), llvm::Align(4));
  ir.SetInsertPoint(next);
}

// Behind the barrier that follows tell_group().
Value* StripMaker::due(IRBuilder<>& ir) const {
  if (!together_) return ir.CreateICmpNE(control(ir), ir.getInt32(0));
  Value* word = ir.CreateAlignedLoad(ir.getInt32Ty(), flag(ir), llvm::Align(4), "told");
  Value* turn = ir.CreateLoad(ir.getInt32Ty(), &slot_);
  ir.CreateStore(ir.CreateXor(turn, ir.getInt32(1)), &slot_);
  return ir.CreateICmpNE(word, ir.getInt32(0));
}

PointBlocks StripMaker::at_barrier(llvm::CallBase& call) {
  BasicBlock* own = llvm::SplitBlock(call.getParent(), &call);
  IRBuilder<> ir(own->getSinglePredecessor()->getTerminator());
  tell_group(ir);
  BasicBlock* go_on = llvm::SplitBlock(own, call.getNextNode());
  go_on->setName("go_on");
  BasicBlock* save = BasicBlock::Create(kernel_.getContext(), "save", &kernel_);
  IRBuilder<>(save).CreateRetVoid();
  ir.SetInsertPoint(own->getTerminator());
  Value* stop = due(ir);
  own->getTerminator()->eraseFromParent();
  IRBuilder<>(own).CreateCondBr(stop, save, go_on);
  return {save, go_on, nullptr};
}

// Blocks in front of `before`, which `go_on` leads to.
StripMaker::Check StripMaker::make_check(BasicBlock& before) {
  llvm::LLVMContext& context = kernel_.getContext();
  Check made;
  made.begin = BasicBlock::Create(context, "check", &kernel_, &before);
  made.blocks.go_on = BasicBlock::Create(context, "go_on", &kernel_, &before);
  made.blocks.save = BasicBlock::Create(context, "save", &kernel_);
  made.blocks.header = &before;
  IRBuilder<>(made.blocks.save).CreateRetVoid();
  IRBuilder<>(made.blocks.go_on).CreateBr(&before);
  IRBuilder<> ir(made.begin);
  llvm::Instruction* end = ir.CreateBr(made.blocks.go_on);
  ir.SetInsertPoint(end);
  if (together_) {
    tell_group(ir);
    add_barrier(ir);
  }
  Value* stop = due(ir);
  ir.CreateCondBr(stop, made.blocks.save, made.blocks.go_on);
  end->eraseFromParent();
  return made;
}

PointBlocks StripMaker::at_end(const ChosenLoop& loop) {
  BasicBlock* header = loop.header;
  if (loop.strip <= 1) {
    Check check = make_check(*header);
    loop.latch->getTerminator()->replaceSuccessorWith(header, check.begin);
    header->replacePhiUsesWith(loop.latch, check.blocks.go_on);
    return check.blocks;
  }
  return loop.counted.counter != nullptr ? by_bound(loop) : by_count(loop);
}

void StripMaker::wrap(const ChosenLoop& loop, BasicBlock& strip, const Check& check,
                      llvm::function_ref<Value*(llvm::PHINode&)> at_end) {
  loop.before->getTerminator()->replaceSuccessorWith(loop.header, &strip);
  IRBuilder<> ir(&strip);
  for (llvm::PHINode& phi : loop.header->phis()) {
    llvm::PHINode* outer = ir.CreatePHI(phi.getType(), 2, phi.getName() + ".strip");
    uniformity_.same_as(*outer, phi);
    outer->addIncoming(phi.getIncomingValueForBlock(loop.before), loop.before);
    outer->addIncoming(at_end(phi), check.blocks.go_on);
    phi.setIncomingValueForBlock(loop.before, outer);
  }
  loop.header->replacePhiUsesWith(loop.before, &strip);
}

// The strip's counter beside the loop's own condition.
PointBlocks StripMaker::by_count(const ChosenLoop& loop) {
  BasicBlock* header = loop.header;
  BasicBlock* strip = BasicBlock::Create(kernel_.getContext(), "strip", &kernel_, header);
  BasicBlock* count = BasicBlock::Create(kernel_.getContext(), "count", &kernel_, header);
  loop.latch->getTerminator()->replaceSuccessorWith(header, count);
  header->replacePhiUsesWith(loop.latch, count);
  const Check check = make_check(*strip);
  wrap(loop, *strip, check, [&](llvm::PHINode& phi) { return phi.getIncomingValueForBlock(count); });
  IRBuilder<> ir(strip);
  ir.CreateBr(header);
  ir.SetInsertPoint(header, header->begin());
  llvm::PHINode* left = ir.CreatePHI(ir.getInt32Ty(), 2, "left");
  ir.SetInsertPoint(count);
  Value* less = ir.CreateSub(left, ir.getInt32(1));
  left->addIncoming(ir.getInt32(static_cast<std::uint32_t>(loop.strip)), strip);
  left->addIncoming(less, count);
  ir.CreateCondBr(ir.CreateICmpEQ(less, ir.getInt32(0)), check.begin, header);
  return check.blocks;
}

// The loop goes to the strip's bound by its own condition: one with two ways out would not be unrolled by compilers.
PointBlocks StripMaker::by_bound(const ChosenLoop& loop) {
  const CountedLoop& counted = loop.counted;
  BasicBlock* header = loop.header;
  BasicBlock* exit = header->getTerminator()->getSuccessor(1 - counted.goes_on);
  BasicBlock* strip = BasicBlock::Create(kernel_.getContext(), "strip", &kernel_, header);
  BasicBlock* end = BasicBlock::Create(kernel_.getContext(), "strip_end", &kernel_, header);
  const Check check = make_check(*strip);
  wrap(loop, *strip, check, [](llvm::PHINode& phi) { return &phi; });
  IRBuilder<> ir(strip);
  Value* bound = bound_of_strip(ir, loop, counted.counter->getIncomingValueForBlock(strip));
  ir.CreateBr(header);
  auto* branch = llvm::cast<llvm::BranchInst>(header->getTerminator());
  ir.SetInsertPoint(branch);
  BasicBlock* body = branch->getSuccessor(counted.goes_on);
  auto* condition = llvm::cast<llvm::Instruction>(branch->getCondition());
  ir.CreateCondBr(ir.CreateICmp(counted.predicate, counted.compared, bound), body, end);
  branch->eraseFromParent();
  if (condition->use_empty()) condition->eraseFromParent();
  ir.SetInsertPoint(end);
  ir.CreateCondBr(ir.CreateICmp(counted.predicate, counted.compared, counted.bound), check.begin, exit);
  exit->replacePhiUsesWith(header, end);
  return check.blocks;
}

namespace {

// `value`, by copies of the instructions of `header` that compute it. `done`: the copies so far.
Value* computed_again(IRBuilder<>& ir, Value& value, const BasicBlock& header,
                      llvm::SmallDenseMap<const Value*, Value*>& done) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || instruction->getParent() != &header) return &value;
  if (Value* made = done.lookup(&value)) return made;
  llvm::Instruction* made = instruction->clone();
  for (llvm::Use& operand : made->operands()) operand.set(computed_again(ir, *operand, header, done));
  return done[&value] = ir.Insert(made, instruction->getName());
}

}  // namespace

// The loop's bound if it is nearer than a strip. The distance is taken as unsigned, which holds it as long as the loop
// goes on.
Value* StripMaker::bound_of_strip(IRBuilder<>& ir, const ChosenLoop& loop, Value* begin) {
  const CountedLoop& counted = loop.counted;
  llvm::SmallDenseMap<const Value*, Value*> done;
  Value* bound = computed_again(ir, *counted.bound, *loop.header, done);
  if (const auto* wider = llvm::dyn_cast<llvm::CastInst>(counted.compared); wider != nullptr)
    begin = ir.CreateCast(wider->getOpcode(), begin, bound->getType());
  const bool up = counted.step > 0;
  std::uint64_t steps = loop.strip * static_cast<std::uint64_t>(up ? counted.step : -counted.step);
  if (llvm::ICmpInst::isTrueWhenEqual(counted.predicate)) --steps;
  Value* far = llvm::ConstantInt::get(bound->getType(), steps);
  Value* rest = up ? ir.CreateSub(bound, begin) : ir.CreateSub(begin, bound);
  Value* longer = ir.CreateAnd(ir.CreateICmp(counted.predicate, begin, bound), ir.CreateICmpUGT(rest, far));
  Value* made = ir.CreateSelect(longer, up ? ir.CreateAdd(begin, far) : ir.CreateSub(begin, far), bound, "strip.bound");
  for (const Value* of : {counted.bound, static_cast<Value*>(counted.counter)}) uniformity_.same_as(*made, *of);
  return made;
}

}  // namespace skmd::compiler
