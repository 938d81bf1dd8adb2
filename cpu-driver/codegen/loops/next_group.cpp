// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/next_group.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <optional>

#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/loops/loops_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

/// How much more values are for the next group of a row of groups, all else the same. Nothing: cannot be told. What is
/// computed for that is where the builder is, which all of the values dominate if settled(); else it has to be erased.
class NextGroup {
 public:
  NextGroup(llvm::Function& vectors, unsigned arguments, llvm::IRBuilderBase& ir) : ir_(ir) {
    more_[item_value(vectors, arguments, kGroup)] = ir.getInt64(1);
    more_[item_value(vectors, arguments, kFirst)] = item_value(vectors, arguments, kLocalSize);
  }

  /// Null: nothing.
  std::optional<Value*> more(Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return nullptr;
    if (const auto found = more_.find(value); found != more_.end()) return found->second;
    if (llvm::isa<llvm::Argument>(value)) return nullptr;
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || depth_ == tuning::kMaxAddressDepth) return std::nullopt;
    ++depth_;
    const std::optional<Value*> found = more_of(*instruction);
    --depth_;
    more_[value] = found;
    return found;
  }

  /// Whether what was told holds.
  [[nodiscard]] bool settled() const { return settled_; }

 private:
  std::optional<Value*> more_of(Instruction& value) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) return of_phi(*phi);
    if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&value)) return of_place(*place);
    // What one place holds is taken to stay: a wrong prefetch does nothing.
    const bool reads = llvm::isa<llvm::LoadInst>(value);
    if (value.getType()->isVectorTy() || (value.mayReadOrWriteMemory() && !reads)) return std::nullopt;
    switch (value.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Or:
      case Instruction::Mul:
      case Instruction::Shl:
        return of_arithmetic(llvm::cast<llvm::BinaryOperator>(value));
      case Instruction::Trunc:
      case Instruction::SExt:
      case Instruction::ZExt: {
        const std::optional<Value*> more = this->more(value.getOperand(0));
        return more && *more != nullptr ? ir_.CreateSExtOrTrunc(*more, value.getType()) : more;
      }
      default:
        return of_others(value);
    }
  }

  // Only what stays.
  std::optional<Value*> of_others(Instruction& value) {
    for (Value* operand : value.operands())
      if (more(operand) != std::optional<Value*>(nullptr)) return std::nullopt;
    return nullptr;
  }

  std::optional<Value*> of_arithmetic(llvm::BinaryOperator& value) {
    const std::optional<Value*> one = more(value.getOperand(0));
    if (!one) return std::nullopt;
    const std::optional<Value*> other = more(value.getOperand(1));
    if (!other) return std::nullopt;
    if (*one == nullptr && *other == nullptr) return nullptr;
    switch (value.getOpcode()) {
      case Instruction::Or:
        if (!llvm::cast<llvm::PossiblyDisjointInst>(value).isDisjoint()) return std::nullopt;
        [[fallthrough]];
      case Instruction::Add:
        if (*one == nullptr || *other == nullptr) return *one == nullptr ? *other : *one;
        return ir_.CreateAdd(*one, *other);
      case Instruction::Sub:
        if (*other == nullptr) return *one;
        return *one == nullptr ? ir_.CreateNeg(*other) : ir_.CreateSub(*one, *other);
      case Instruction::Mul:
        if (*one != nullptr && *other != nullptr) return std::nullopt;
        return ir_.CreateMul(*one != nullptr ? *one : *other, value.getOperand(*one != nullptr ? 1 : 0));
      default:  // a shift
        if (*other != nullptr) return std::nullopt;
        return ir_.CreateShl(*one, value.getOperand(1));
    }
  }

  std::optional<Value*> of_place(llvm::GetElementPtrInst& place) {
    const std::optional<Value*> base = more(place.getPointerOperand());
    if (!base || place.getNumIndices() != 1 || place.getType()->isVectorTy()) return std::nullopt;
    const std::optional<Value*> index = more(place.getOperand(1));
    if (!index || *index == nullptr) return index ? base : std::nullopt;
    const llvm::DataLayout& layout = place.getDataLayout();
    const std::uint64_t size = layout.getTypeAllocSize(place.getSourceElementType()).getFixedValue();
    Value* bytes = ir_.CreateMul(ir_.CreateSExtOrTrunc(*index, ir_.getInt64Ty()), ir_.getInt64(size));
    return *base == nullptr ? bytes : ir_.CreateAdd(*base, bytes);
  }

  // Only one that stays: what is found out of the others on the way rests on that.
  std::optional<Value*> of_phi(llvm::PHINode& phi) {
    more_[&phi] = std::optional<Value*>(nullptr);
    for (Value* value : phi.incoming_values())
      if (more(value) != std::optional<Value*>(nullptr)) {
        settled_ = false;
        return std::nullopt;
      }
    return nullptr;
  }

  llvm::IRBuilderBase& ir_;
  llvm::DenseMap<const Value*, std::optional<Value*>> more_;  // failures, too: a chain may use each value twice
  unsigned depth_ = 0;
  bool settled_ = true;
};

// Loads of whole vectors in loops, of neighbours that follow each other the first of each cache line.
llvm::SmallVector<llvm::LoadInst*, 8> lines_read(llvm::Function& vectors) {
  const llvm::DominatorTree dominators(vectors);
  const llvm::LoopInfo loops(dominators);
  llvm::SmallVector<llvm::LoadInst*, 8> found;
  for (llvm::BasicBlock& block : vectors) {
    if (loops.getLoopFor(&block) == nullptr) continue;
    std::uint64_t bytes = 0;
    for (Instruction& instruction : block) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || !load->getType()->isVectorTy()) {
        bytes = 0;
        continue;
      }
      if (bytes % tuning::kLine == 0) found.push_back(load);
      bytes += vectors.getDataLayout().getTypeStoreSize(load->getType()).getFixedValue();
    }
  }
  return found;
}

}  // namespace

unsigned prefetch_next_group(llvm::Function& vectors, unsigned arguments) {
  unsigned made = 0;
  for (llvm::LoadInst* load : lines_read(vectors)) {
    llvm::SmallVector<Instruction*, 8> computed;
    llvm::IRBuilder<llvm::ConstantFolder, llvm::IRBuilderCallbackInserter> ir(
        load->getContext(), llvm::ConstantFolder(),
        llvm::IRBuilderCallbackInserter([&](Instruction* added) { computed.push_back(added); }));
    ir.SetInsertPoint(load);
    NextGroup next(vectors, arguments, ir);
    const std::optional<Value*> distance = next.more(load->getPointerOperand());
    if (!distance || *distance == nullptr || !next.settled()) {
      for (Instruction* instruction : llvm::reverse(computed)) instruction->eraseFromParent();
      continue;
    }
    Value* ahead = ir.CreatePtrAdd(load->getPointerOperand(), *distance);
    // llvm.prefetch: rw, locality, cache type.
    constexpr unsigned kToRead = 0;
    // Not into the first one: what two groups read may be as much as it holds, and this one's would go.
    constexpr unsigned kToSecondCache = 2;
    constexpr unsigned kData = 1;
    ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()},
                       {ahead, ir.getInt32(kToRead), ir.getInt32(kToSecondCache), ir.getInt32(kData)});
    ++made;
  }
  return made;
}

}  // namespace skmd::codegen
