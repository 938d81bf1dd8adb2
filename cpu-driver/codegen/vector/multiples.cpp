// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/multiples.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <cstddef>

#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kAll = 64;  // zeros of zero itself

class Zeros {
 public:
  explicit Zeros(const llvm::DataLayout& layout) : layout_(layout) {}

  // Phis are first supposed to be zero; what that leads to corrects them until nothing changes.
  unsigned of(const Value& value) {
    for (;;) {
      const unsigned zeros = of(value, 0);
      bool settled = true;
      for (std::size_t at = 0; at < order_.size(); ++at) settled = settle(*order_[at]) && settled;
      if (order_.size() > tuning::kMaxPhis) return known(value);
      if (settled) return zeros;
    }
  }

 private:
  // Whether what is supposed of a phi is what comes of it.
  bool settle(const llvm::PHINode& phi) {
    unsigned zeros = kAll;
    for (const Value* incoming : phi.incoming_values()) zeros = std::min(zeros, of(*incoming, 0));
    unsigned& supposed = supposed_[&phi];
    if (zeros >= supposed) return true;
    supposed = zeros;
    return false;
  }

  unsigned of(const Value& value, unsigned depth) {
    if (llvm::isa<llvm::UndefValue>(value)) return kAll;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) {
      const auto [entry, added] = supposed_.try_emplace(phi, kAll);
      if (added) order_.push_back(phi);
      return entry->second;
    }
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    const unsigned structural =
        instruction == nullptr || depth > tuning::kMaxMultipleDepth ? 0 : of_operation(*instruction, depth + 1);
    return std::max(structural, known(value));
  }

  unsigned known(const Value& value) const {
    if (value.getType()->isPointerTy()) {
      const llvm::Align align = value.stripPointerCasts()->getPointerAlignment(layout_);
      return llvm::Log2(align);
    }
    const llvm::SimplifyQuery query(layout_, nullptr, nullptr, nullptr, nullptr, /*UseInstrInfo=*/false);
    const llvm::KnownBits bits = llvm::computeKnownBits(&value, query);
    return bits.isZero() ? kAll : bits.countMinTrailingZeros();
  }

  unsigned of_operation(const Instruction& operation, unsigned depth) {
    const auto operand = [&](unsigned at) { return of(*operation.getOperand(at), depth); };
    switch (operation.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Or:
      case Instruction::Xor:
        return std::min(operand(0), operand(1));
      case Instruction::Mul:
        return std::min(operand(0) + operand(1), kAll);
      case Instruction::And:
        return std::max(operand(0), operand(1));
      case Instruction::Select:
        return std::min(operand(1), operand(2));
      case Instruction::SExt:
      case Instruction::ZExt:
      case Instruction::Trunc:
      case Instruction::PtrToInt:
        return operand(0);
      default:
        return 0;
    }
  }

  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::PHINode*, unsigned> supposed_;
  llvm::SmallVector<const llvm::PHINode*, 16> order_;
};

}  // namespace

unsigned lowest_zeros(const Value& number, const llvm::DataLayout& layout) { return Zeros(layout).of(number); }

}  // namespace skmd::codegen
