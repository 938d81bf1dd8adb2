// SPDX-License-Identifier: Apache-2.0
#include "tests/cpu-driver/codegen/masks/random_item.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <random>

#include "cpu-driver/codegen/item_function.h"

namespace skmd::test {

namespace {

using llvm::BasicBlock;
using llvm::Value;

constexpr unsigned kVariables = 6;
constexpr unsigned kArray = 8;

class Writer {
 public:
  Writer(llvm::Module& module, std::uint64_t seed) : module_(module), ir_(module.getContext()), random_(seed) {}

  llvm::Function* write() {
    llvm::Type* word = ir_.getInt32Ty();
    auto* pointer = llvm::PointerType::get(module_.getContext(), 1);
    returns_ = chance(30);
    auto* type = llvm::FunctionType::get(returns_ ? word : ir_.getVoidTy(),
                                         {ir_.getInt64Ty(), word, word, pointer, pointer, pointer}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "item", module_);
    function_->addFnAttr(codegen::kItem);
    function_->getArg(0)->addAttr(llvm::Attribute::get(module_.getContext(), codegen::kLane));
    builtin_ = module_.getOrInsertFunction("_Z4hashi", word, word);
    llvm::cast<llvm::Function>(builtin_.getCallee())->setDoesNotAccessMemory();
    start();
    statements(3 + pick(4), 0);
    jump(return_);
    ir_.SetInsertPoint(return_);
    if (returns_)
      ir_.CreateRet(ir_.CreateLoad(word, outcome_));
    else
      ir_.CreateRetVoid();
    llvm::EliminateUnreachableBlocks(*function_);
    llvm::DominatorTree tree(*function_);
    llvm::PromoteMemToReg(promoted_, tree);
    return function_;
  }

 private:
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  BasicBlock* block() { return BasicBlock::Create(module_.getContext(), "", function_); }

  llvm::AllocaInst* variable(Value* first) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    auto* made = new llvm::AllocaInst(first->getType(), 0, "", entry.begin());
    promoted_.push_back(made);
    ir_.CreateStore(first, made);
    return made;
  }

  void start() {
    ir_.SetInsertPoint(block());
    return_ = block();
    for (unsigned i = 0; i < kVariables; ++i) {
      Value* lane = ir_.CreateTrunc(function_->getArg(0), ir_.getInt32Ty());
      Value* uniform = function_->getArg(1 + i % 2);
      variables_.push_back(variable(i % 3 == 0 ? lane : uniform));
    }
    // Wherever items leave, they return the same.
    outcome_ = variable(ir_.getInt32(7));
    array_ = ir_.CreateAlloca(ir_.getInt32Ty(), ir_.getInt32(kArray));
    for (unsigned i = 0; i < kArray; ++i) ir_.CreateStore(ir_.getInt32(i), element(array_, ir_.getInt32(i)));
  }

  Value* element(Value* base, Value* index) { return ir_.CreateGEP(ir_.getInt32Ty(), base, index); }
  Value* get() { return ir_.CreateLoad(ir_.getInt32Ty(), variables_[pick(kVariables)]); }
  void set(Value* value) { ir_.CreateStore(value, variables_[pick(kVariables)]); }

  Value* expression(unsigned depth) {
    if (depth == 0 || chance(30)) return chance(60) ? get() : ir_.getInt32(pick(20));
    Value* left = expression(depth - 1);
    Value* right = expression(depth - 1);
    switch (pick(9)) {
      case 0:
        return ir_.CreateAdd(left, right);
      case 1:
        return ir_.CreateSub(left, right);
      case 2:
        return ir_.CreateMul(left, right);
      case 3:
        return ir_.CreateXor(left, right);
      case 4:
        return ir_.CreateLShr(left, ir_.CreateAnd(right, 31));
      case 5:
        return ir_.CreateSelect(condition(), left, right);
      case 6:
        return ir_.CreateLoad(ir_.getInt32Ty(), element(function_->getArg(3), ir_.CreateAnd(left, kShared - 1)));
      case 7:
        return ir_.CreateCall(builtin_, {left});
      default:
        return ir_.CreateLoad(ir_.getInt32Ty(), element(array_, ir_.CreateAnd(left, kArray - 1)));
    }
  }

  Value* condition() {
    Value* left = get();
    if (chance(40)) return ir_.CreateICmpNE(ir_.CreateAnd(left, 1 + pick(3)), ir_.getInt32(0));
    return chance(50) ? ir_.CreateICmpSLT(left, get()) : ir_.CreateICmpUGT(left, ir_.getInt32(pick(12)));
  }

  void statements(unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) statement(depth);
  }

  void statement(unsigned depth) {
    const unsigned what = pick(depth < 4 ? 20 : 11);
    if (what < 4) return set(expression(2));
    if (what < 6) return write_own();
    if (what == 6) return write_array();
    if (what == 7) return guarded_read();
    if (what == 8) return divide();
    if (what == 9) return leave();
    if (what == 10) return count();
    if (what < 15) return choose(depth);
    if (what == 15) return several(depth);
    repeat(depth);
  }

  void write_own() {
    Value* first = ir_.CreateMul(function_->getArg(0), ir_.getInt64(kOwn));
    ir_.CreateStore(expression(2), element(function_->getArg(4), ir_.CreateAdd(first, ir_.getInt64(pick(kOwn)))));
  }

  void write_array() {
    Value* index = chance(50) ? static_cast<Value*>(ir_.getInt32(pick(kArray))) : ir_.CreateAnd(get(), kArray - 1);
    ir_.CreateStore(expression(1), element(array_, index));
  }

  void count() {
    ir_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, function_->getArg(5), get(), {}, llvm::AtomicOrdering::Monotonic);
  }

  // Items whose index is out of range must not read there.
  void guarded_read() {
    Value* index = get();
    under(ir_.CreateICmpULT(index, ir_.getInt32(kShared)),
          [&] { set(ir_.CreateLoad(ir_.getInt32Ty(), element(function_->getArg(3), index))); });
  }

  void divide() {
    Value* left = get();
    Value* by = get();
    under(ir_.CreateICmpSGT(by, ir_.getInt32(0)), [&] {
      set(chance(50) ? ir_.CreateSDiv(left, by) : ir_.CreateURem(left, by));
      set(ir_.CreateSub(by, ir_.getInt32(1), "", true, true));
    });
  }

  template <class Body>
  void under(Value* question, Body body) {
    BasicBlock* inside = block();
    BasicBlock* after = block();
    ir_.CreateCondBr(question, inside, after);
    ir_.SetInsertPoint(inside);
    body();
    jump(after);
    ir_.SetInsertPoint(after);
  }

  void jump(BasicBlock* to) { ir_.CreateBr(to); }

  // Break, continue, return, or out of any statement around.
  void leave() {
    if (targets_.empty() || chance(20)) {
      if (chance(30)) under(condition(), [&] { jump_away(return_); });
      return;
    }
    under(condition(), [&] { jump_away(targets_[pick(static_cast<unsigned>(targets_.size()))]); });
  }

  void jump_away(BasicBlock* to) {
    ir_.CreateBr(to);
    ir_.SetInsertPoint(block());  // unreachable
  }

  void choose(unsigned depth) {
    BasicBlock* first = block();
    BasicBlock* second = block();
    BasicBlock* after = block();
    ir_.CreateCondBr(condition(), first, chance(50) ? second : after);
    targets_.push_back(after);
    ir_.SetInsertPoint(first);
    statements(1 + pick(3), depth + 1);
    jump(chance(80) ? after : second);
    ir_.SetInsertPoint(second);
    statements(1 + pick(2), depth + 1);
    jump(after);
    targets_.pop_back();
    ir_.SetInsertPoint(after);
  }

  void several(unsigned depth) {
    BasicBlock* after = block();
    auto* choice = ir_.CreateSwitch(ir_.CreateAnd(get(), 7), after);
    targets_.push_back(after);
    BasicBlock* next = block();
    for (unsigned i = 0; i < 3; ++i) {
      choice->addCase(ir_.getInt32(2 * i), next);
      if (chance(50)) choice->addCase(ir_.getInt32(2 * i + 1), next);
      ir_.SetInsertPoint(next);
      statements(1 + pick(2), depth + 1);
      next = i == 2 ? after : block();
      jump(chance(70) ? after : next);
    }
    targets_.pop_back();
    ir_.SetInsertPoint(after);
  }

  // At most some turns, by a count that the body does not change.
  void repeat(unsigned depth) {
    llvm::AllocaInst* turns = variable(ir_.getInt32(0));
    BasicBlock* head = block();
    BasicBlock* body = block();
    BasicBlock* step = block();
    BasicBlock* after = block();
    Value* most = chance(50) ? static_cast<Value*>(ir_.getInt32(1 + pick(5))) : ir_.CreateAnd(get(), 3);
    jump(head);
    ir_.SetInsertPoint(head);
    Value* turn = ir_.CreateLoad(ir_.getInt32Ty(), turns);
    const bool first = chance(50);
    if (first)
      ir_.CreateCondBr(ir_.CreateICmpULT(turn, most), body, after);
    else
      jump(body);
    ir_.SetInsertPoint(body);
    targets_.push_back(after);
    targets_.push_back(step);
    statements(1 + pick(3), depth + 1);
    targets_.resize(targets_.size() - 2);
    jump(step);
    ir_.SetInsertPoint(step);
    Value* next = ir_.CreateAdd(ir_.CreateLoad(ir_.getInt32Ty(), turns), ir_.getInt32(1));
    ir_.CreateStore(next, turns);
    if (first)
      jump(head);
    else
      ir_.CreateCondBr(ir_.CreateICmpULT(next, most), head, after);
    ir_.SetInsertPoint(after);
  }

  llvm::Module& module_;
  llvm::IRBuilder<> ir_;
  std::mt19937_64 random_;
  llvm::Function* function_ = nullptr;
  llvm::FunctionCallee builtin_;
  BasicBlock* return_ = nullptr;
  bool returns_ = false;
  std::vector<llvm::AllocaInst*> promoted_;
  std::vector<llvm::AllocaInst*> variables_;
  llvm::AllocaInst* outcome_ = nullptr;
  llvm::AllocaInst* array_ = nullptr;
  std::vector<BasicBlock*> targets_;  // where a jump may lead, innermost last
};

}  // namespace

llvm::Function* create_random_item(llvm::Module& module, std::uint64_t seed) { return Writer(module, seed).write(); }

}  // namespace skmd::test
