// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/overlaps.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include <cstdint>
#include <optional>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::Value;

std::uint64_t register_bytes(Isa isa) { return isa >= Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

/// A plain load of several registers: the same base and offset are the same place.
struct WideLoad {
  llvm::LoadInst* load = nullptr;
  Value* base = nullptr;
  std::int64_t offset = 0;
};

class Block {
 public:
  Block(llvm::BasicBlock& block, Isa isa)
      : block_(block), layout_(block.getDataLayout()), least_(2 * register_bytes(isa)) {}

  bool change() {
    bool changed = false;
    for (Instruction& instruction : llvm::make_early_inc_range(block_)) {
      // What is read later could be other values, or not be read at all.
      if (instruction.mayWriteToMemory() || !instruction.willReturn() || instruction.mayThrow()) known_.clear();
      if (const auto wide = wide_load(instruction)) changed = add(*wide) || changed;
    }
    return changed;
  }

 private:
  [[nodiscard]] std::optional<WideLoad> wide_load(Instruction& instruction) const {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->isSimple() || load->getPointerAddressSpace() != kLocalSpace) return std::nullopt;
    const auto* type = llvm::dyn_cast<FixedVectorType>(load->getType());
    if (type == nullptr || type->getElementType()->isPointerTy() || type->getScalarSizeInBits() < 32 ||
        layout_.getTypeStoreSize(load->getType()).getFixedValue() < least_)
      return std::nullopt;
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
    return WideLoad{load, base, offset.getSExtValue()};
  }

  // Of a later load and one before it.
  bool add(const WideLoad& later) {
    for (WideLoad& earlier : known_) {
      if (earlier.base != later.base || earlier.load->getType() != later.load->getType()) continue;
      if (is_ahead(earlier, later)) {
        replace(*later.load, *earlier.load, later.offset - earlier.offset, *later.load);
        return true;
      }
      if (!is_ahead(later, earlier)) continue;
      // The first in memory comes second: it is loaded where the other was.
      llvm::IRBuilder<> ir(earlier.load);
      Value* distance = ir.getInt64(static_cast<std::uint64_t>(later.offset - earlier.offset));
      llvm::LoadInst* first = ir.CreateAlignedLoad(
          later.load->getType(), ir.CreatePtrAdd(earlier.load->getPointerOperand(), distance), later.load->getAlign());
      first->copyMetadata(*later.load);
      replace(*earlier.load, *first, earlier.offset - later.offset, *earlier.load);
      later.load->replaceAllUsesWith(first);
      later.load->eraseFromParent();
      earlier = {first, later.base, later.offset};
      return true;
    }
    known_.push_back(later);
    return false;
  }

  // Whether `second` begins in `first`, so few elements behind it that one load has what it has more.
  [[nodiscard]] bool is_ahead(const WideLoad& first, const WideLoad& second) const {
    const std::int64_t distance = second.offset - first.offset;
    if (distance <= 0) return false;
    const auto bytes = static_cast<std::uint64_t>(distance);
    const std::uint64_t element = layout_.getTypeStoreSize(first.load->getType()->getScalarType());
    return bytes <= tuning::kMaxBehind && bytes < layout_.getTypeStoreSize(first.load->getType()) &&
           llvm::isPowerOf2_64(bytes) && bytes % element == 0;
  }

  void replace(llvm::LoadInst& second, llvm::LoadInst& first, std::int64_t distance, Instruction& where) {
    llvm::IRBuilder<> ir(&where);
    auto* type = llvm::cast<FixedVectorType>(first.getType());
    const unsigned lanes = type->getNumElements();
    const std::uint64_t element = layout_.getTypeStoreSize(type->getElementType());
    const auto ahead = static_cast<unsigned>(static_cast<std::uint64_t>(distance) / element);
    // The last of what `second` reads.
    Value* place = ir.CreatePtrAdd(second.getPointerOperand(), ir.getInt64(element * (lanes - ahead)));
    llvm::LoadInst* rest = ir.CreateAlignedLoad(FixedVectorType::get(type->getElementType(), ahead), place,
                                                llvm::commonAlignment(second.getAlign(), element * (lanes - ahead)));
    rest->copyMetadata(second);
    llvm::SmallVector<int, 64> widen(lanes, -1);
    llvm::SmallVector<int, 64> shift(lanes);
    for (unsigned lane = 0; lane < ahead; ++lane) widen[lane] = static_cast<int>(lane);
    for (unsigned lane = 0; lane < lanes; ++lane) shift[lane] = static_cast<int>(lane + ahead);
    // Frozen, or code generation would make one load of it again.
    Value* here = ir.CreateFreeze(&first);
    Value* both = ir.CreateShuffleVector(here, ir.CreateShuffleVector(ir.CreateFreeze(rest), widen), shift);
    both->takeName(&second);
    second.replaceAllUsesWith(both);
    second.eraseFromParent();
  }

  llvm::BasicBlock& block_;
  const llvm::DataLayout& layout_;
  const std::uint64_t least_;
  llvm::SmallVector<WideLoad, 4> known_;
};

}  // namespace

bool share_overlapping_loads(llvm::Function& function, Isa isa) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) changed = Block(block, isa).change() || changed;
  return changed;
}

}  // namespace skmd::codegen
