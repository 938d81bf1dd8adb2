// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/units.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <bit>

#include "compiler/merge/eligible.h"
#include "compiler/merge/merge_constants.h"
#include "compiler/merge/replay.h"

namespace skmd::compiler {

namespace {

using llvm::Value;

unsigned zeros_of(std::uint64_t number) {
  return number == 0 ? tuning::kMaxUnitBits
                     : std::min(tuning::kMaxUnitBits, static_cast<unsigned>(std::countr_zero(number)));
}

unsigned zeros_of_steps(const llvm::GEPOperator& address, const llvm::DataLayout& layout) {
  unsigned zeros = tuning::kMaxUnitBits;
  for (auto step = llvm::gep_type_begin(address); step != llvm::gep_type_end(address); ++step) {
    const Value* index = step.getOperand();
    if (llvm::StructType* type = step.getStructTypeOrNull()) {
      const auto field = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index)->getZExtValue());
      zeros = std::min(zeros, zeros_of(layout.getStructLayout(type)->getElementOffset(field).getFixedValue()));
      continue;
    }
    const llvm::TypeSize stride = step.getSequentialElementStride(layout);
    if (stride.isScalable() || index->getType()->isVectorTy()) return 0;
    const unsigned of_index = llvm::computeKnownBits(index, layout).countMinTrailingZeros();
    zeros = std::min(zeros, zeros_of(stride.getFixedValue()) + of_index);
  }
  return zeros;
}

}  // namespace

// Every path from the object to `place` is a sum of the steps met here, each any number of times.
std::uint64_t known_alignment(const Value& place, const llvm::DataLayout& layout) {
  unsigned zeros = tuning::kMaxUnitBits;
  llvm::SmallVector<const Value*, 8> pending{&place};
  llvm::SmallPtrSet<const Value*, 8> seen;
  while (!pending.empty()) {
    const Value* pointer = pending.pop_back_val();
    if (!seen.insert(pointer).second) continue;
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      zeros = std::min(zeros, zeros_of_steps(*address, layout));
      pending.push_back(address->getPointerOperand());
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
      pending.append(phi->value_op_begin(), phi->value_op_end());
    } else if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
      pending.append({choice->getTrueValue(), choice->getFalseValue()});
    } else if (const auto* cast = llvm::dyn_cast<llvm::Operator>(pointer);
               cast != nullptr && (cast->getOpcode() == llvm::Instruction::AddrSpaceCast ||
                                   cast->getOpcode() == llvm::Instruction::BitCast)) {
      pending.push_back(cast->getOperand(0));
    } else if (!llvm::isa<llvm::Argument, llvm::UndefValue>(pointer)) {
      // Null among them: a step from there is no distance from the object.
      return 1;
    }
  }
  return std::uint64_t{1} << zeros;
}

std::vector<std::uint8_t> store_units(const std::vector<llvm::BasicBlock*>& body, std::size_t arguments) {
  std::vector<std::uint8_t> units(arguments, 0);
  const auto look = [&](const llvm::Instruction& marker) {
    const Value& place = *marker.getOperand(0);
    const auto* base = llvm::dyn_cast_or_null<llvm::Argument>(base_of(place));
    if (base == nullptr) return;
    std::uint64_t size = llvm::cast<llvm::ConstantInt>(marker.getOperand(1))->getZExtValue();
    if (const auto* count = llvm::dyn_cast<llvm::ConstantInt>(marker.getOperand(2))) size *= count->getZExtValue();
    const std::uint64_t unit =
        std::min(std::uint64_t{1} << zeros_of(size), known_alignment(place, marker.getDataLayout()));
    std::uint8_t& least = units[base->getArgNo()];
    least = least == 0 ? static_cast<std::uint8_t>(unit) : std::min(least, static_cast<std::uint8_t>(unit));
  };
  for (const llvm::BasicBlock* block : body)
    for (const llvm::Instruction& instruction : *block)
      if (is_replay(instruction)) look(instruction);
  return units;
}

}  // namespace skmd::compiler
