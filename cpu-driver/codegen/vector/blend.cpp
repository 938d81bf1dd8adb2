// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/blend.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdint>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/vector/vector_constants.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
namespace match = llvm::PatternMatch;

/// What is known of the memory that a vector's lanes are in.
enum class Owner : std::uint8_t { unknown, group, stack };

Owner owner(const MaskedAccess& access, std::uint64_t bytes, const llvm::DataLayout& layout) {
  if (access.pointer->getType()->getPointerAddressSpace() == kLocalSpace)
    return bytes <= cpu::kReadAroundScratch ? Owner::group : Owner::unknown;
  llvm::APInt offset(layout.getIndexTypeSizeInBits(access.pointer->getType()), 0);
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(
      access.pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
  const auto size = variable == nullptr ? std::nullopt : variable->getAllocationSize(layout);
  if (!size || size->isScalable() || offset.isNegative()) return Owner::unknown;
  const std::uint64_t at = offset.getZExtValue();
  return at <= size->getFixedValue() && bytes <= size->getFixedValue() - at ? Owner::stack : Owner::unknown;
}

// Lanes of which each is in `mask`, perhaps several times: fewer to look at.
Value* each_once(Value* mask) {
  auto* spread = llvm::dyn_cast<llvm::ShuffleVectorInst>(mask);
  if (spread == nullptr) return mask;
  const auto* from = llvm::cast<llvm::FixedVectorType>(spread->getOperand(0)->getType());
  llvm::BitVector found(from->getNumElements());
  for (const int lane : spread->getShuffleMask()) {
    if (lane < 0 || static_cast<unsigned>(lane) >= from->getNumElements()) return mask;
    found.set(static_cast<unsigned>(lane));
  }
  return found.all() ? spread->getOperand(0) : mask;
}

// Whether `at` is reached only where a lane of `mask` is set, by the branches before it.
bool some_lane_is_set(const BasicBlock* at, const Value* mask) {
  for (unsigned depth = 0; depth < tuning::kMaxBranchesBefore; ++depth) {
    const BasicBlock* before = at->getSinglePredecessor();
    const auto* branch = before == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (branch == nullptr) return false;
    llvm::CmpPredicate predicate;
    if (branch->isConditional() &&
        match::match(branch->getCondition(),
                     match::m_ICmp(predicate, match::m_BitCast(match::m_Specific(mask)), match::m_Zero())) &&
        llvm::ICmpInst::isEquality(predicate) &&
        branch->getSuccessor(predicate == llvm::CmpInst::ICMP_EQ ? 1 : 0) == at)
      return true;
    at = before;
  }
  return false;
}

}  // namespace

bool access_whole(Instruction& instruction, const MaskedAccess& access, Isa isa) {
  if (isa >= Isa::avx512 || access.type->getScalarSizeInBits() % 8 != 0) return false;
  const llvm::DataLayout& layout = instruction.getDataLayout();
  const Owner of = owner(access, layout.getTypeStoreSize(access.type).getFixedValue(), layout);
  if (of == Owner::unknown) return false;
  Instruction* place = &instruction;
  Value* lanes = each_once(access.mask);
  if (of == Owner::group && !some_lane_is_set(instruction.getParent(), lanes)) {
    if (access.stored == nullptr) return false;  // widen reads whole vectors where it may
    llvm::IRBuilder<> before(&instruction);
    const unsigned count = llvm::cast<llvm::FixedVectorType>(lanes->getType())->getNumElements();
    place = llvm::SplitBlockAndInsertIfThen(before.CreateICmpNE(before.CreateBitCast(lanes, before.getIntNTy(count)),
                                                                llvm::ConstantInt::get(before.getIntNTy(count), 0)),
                                            &instruction, /*Unreachable=*/false);
  }
  llvm::IRBuilder<> builder(place);
  // Without what the access's metadata says of types and aliases: the other lanes may be another variable's.
  llvm::LoadInst* there = builder.CreateAlignedLoad(access.type, access.pointer, access.align);
  if (access.stored == nullptr) {
    instruction.replaceAllUsesWith(there);
    return true;
  }
  // Frozen, since code generation would make a masked store of a choice between a value and what is loaded there.
  Value* both = builder.CreateSelect(access.mask, access.stored, builder.CreateFreeze(there));
  builder.CreateAlignedStore(both, access.pointer, access.align);
  return true;
}

}  // namespace skmd::codegen
