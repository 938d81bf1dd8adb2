// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/packs/join_stores.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "cpu-driver/codegen/packs/origins.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Value;

constexpr std::uint64_t kWidest = 16, kWord = 64;  // bits

/// A store of a lane.
struct Part {
  llvm::StoreInst* store;
  const Value* base;
  std::int64_t place;
  std::uint64_t bits;
  Origin from;
};
using Parts = llvm::SmallVector<Part, 8>;

std::optional<Part> part_of(llvm::StoreInst& store) {
  auto* lane = llvm::dyn_cast<llvm::ExtractElementInst>(store.getValueOperand());
  if (lane == nullptr || !store.isSimple() || !lane->getType()->isIntegerTy()) return std::nullopt;
  const std::uint64_t bits = lane->getType()->getIntegerBitWidth();
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(lane->getIndexOperand());
  auto* type = llvm::dyn_cast<FixedVectorType>(lane->getVectorOperandType());
  if (bits > kWidest || bits % 8 != 0 || number == nullptr || type == nullptr ||
      number->getValue().uge(type->getNumElements()))
    return std::nullopt;
  const llvm::DataLayout& layout = store.getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(store.getPointerOperandType()), 0);
  const Value* base = store.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  const Origin from = origin_of(*lane->getVectorOperand(), static_cast<unsigned>(number->getZExtValue()));
  if (from.root == nullptr || from.root->getType()->getScalarType()->isPointerTy()) return std::nullopt;
  return Part{&store, base, offset.getSExtValue(), bits, from};
}

bool follows(const Part& one, const Part& next) {
  return next.base == one.base && next.bits == one.bits &&
         next.place == one.place + static_cast<std::int64_t>(one.bits / 8) && next.from.root == one.from.root &&
         next.from.bit == one.from.bit + one.bits &&
         next.store->getPointerAddressSpace() == one.store->getPointerAddressSpace();
}

// At the last store: nothing in between looks at memory.
void join(llvm::ArrayRef<Part> parts) {
  const Part& first = parts.front();
  const std::uint64_t bits = first.bits * parts.size();
  Value* root = first.from.root;
  auto* type = llvm::cast<FixedVectorType>(root->getType());
  Builder builder(root->getContext(), llvm::TargetFolder(first.store->getDataLayout()));
  builder.SetInsertPoint(parts.back().store);
  const std::uint64_t all = type->getPrimitiveSizeInBits().getFixedValue();
  Value* whole = nullptr;
  // A lane that is poison would spoil what is joined with it to a number.
  if (type->getScalarSizeInBits() == bits && first.from.bit % bits == 0) {
    whole = builder.CreateExtractElement(root, first.from.bit / bits);
  } else {
    auto* pieces = FixedVectorType::get(builder.getIntNTy(static_cast<unsigned>(first.bits)),
                                        static_cast<unsigned>(all / first.bits));
    llvm::SmallVector<int, 8> places;
    for (std::size_t at = 0; at < parts.size(); ++at)
      places.push_back(static_cast<int>(first.from.bit / first.bits + at));
    whole = builder.CreateShuffleVector(builder.CreateBitCast(root, pieces), places);
  }
  builder.CreateAlignedStore(whole, first.store->getPointerOperand(), first.store->getAlign());
  for (const Part& part : parts) part.store->eraseFromParent();
}

// The most that fit into a word.
bool join_some(llvm::ArrayRef<Part> parts) {
  if (parts.empty() || parts.front().from.bit % parts.front().bits != 0 ||
      parts.front().from.root->getType()->getPrimitiveSizeInBits().getFixedValue() % parts.front().bits != 0)
    return false;
  bool changed = false;
  while (parts.size() > 1) {
    const std::size_t most = std::min<std::size_t>(kWord / parts.front().bits, std::bit_floor(parts.size()));
    if (most < 2) break;
    join(parts.take_front(most));
    parts = parts.drop_front(most);
    changed = true;
  }
  return changed;
}

}  // namespace

bool join_stores(llvm::Function& function) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    Parts parts;
    const auto end_run = [&] {
      changed = join_some(parts) || changed;
      parts.clear();
    };
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      const std::optional<Part> part = store == nullptr ? std::nullopt : part_of(*store);
      if (part && (parts.empty() || follows(parts.back(), *part))) {
        parts.push_back(*part);
        continue;
      }
      if (part || instruction.mayReadOrWriteMemory() || instruction.mayThrow()) end_run();
      if (part) parts.push_back(*part);
    }
    end_run();
  }
  return changed;
}

}  // namespace skmd::codegen
