// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/few_lanes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include <optional>

#include "cpu-driver/codegen/vector/lane_code.h"
#include "cpu-driver/codegen/vector/lower_masked.h"
#include "cpu-driver/codegen/vector/one_lane.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::Value;
using Lanes = llvm::SmallVector<unsigned, 64>;

/// The lanes that are set; nothing if that is not known.
std::optional<Lanes> known_lanes(const Value& mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&mask);
  if (constant == nullptr) return std::nullopt;
  Lanes lanes;
  for (unsigned at = 0; at < llvm::cast<FixedVectorType>(mask.getType())->getNumElements(); ++at) {
    const auto* bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(at));
    if (bit == nullptr) return std::nullopt;
    if (bit->isOne()) lanes.push_back(at);
  }
  return lanes;
}

/// Lanes that are needed alone are computed alone.
bool always(const Instruction& /*instruction*/) { return true; }

class FewLanes {
 public:
  explicit FewLanes(llvm::Function& function)
      : builder_(function.getContext(), llvm::TargetFolder(function.getDataLayout())),
        layout_(function.getDataLayout()) {}

  bool change(Instruction& instruction) {
    builder_.SetInsertPoint(&instruction);
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      if (call->getIntrinsicID() == llvm::Intrinsic::masked_gather) return gather(*call);
      if (call->getIntrinsicID() == llvm::Intrinsic::masked_scatter) return scatter(*call);
      return false;
    }
    const std::optional<MaskedAccess> found = masked_access(instruction);
    if (!found) return false;
    const std::optional<Lanes> lanes = known_lanes(*found->mask);
    return lanes && access(instruction, *found, *lanes);
  }

 private:
  bool gather(llvm::IntrinsicInst& call) {
    const std::optional<Lanes> lanes = known_lanes(*call.getArgOperand(1));
    if (!lanes || lanes->size() > tuning::kFewLanes) return false;
    Value* found = call.getArgOperand(2);
    for (const unsigned lane : *lanes) {
      Value* pointer = OneLane(builder_, lane, always).of(call.getArgOperand(0));
      llvm::LoadInst* load =
          builder_.CreateAlignedLoad(call.getType()->getScalarType(), pointer, call.getParamAlign(0).valueOrOne());
      load->copyMetadata(call);
      found = builder_.CreateInsertElement(found, load, lane);
    }
    call.replaceAllUsesWith(found);
    return true;
  }

  bool scatter(llvm::IntrinsicInst& call) {
    const std::optional<Lanes> lanes = known_lanes(*call.getArgOperand(2));
    if (!lanes || lanes->size() > tuning::kFewLanes) return false;
    for (const unsigned lane : *lanes) {
      Value* value = builder_.CreateExtractElement(call.getArgOperand(0), lane);
      Value* pointer = OneLane(builder_, lane, always).of(call.getArgOperand(1));
      builder_.CreateAlignedStore(value, pointer, call.getParamAlign(1).valueOrOne())->copyMetadata(call);
    }
    return true;
  }

  bool access(Instruction& instruction, const MaskedAccess& found, const Lanes& lanes) {
    if (lanes.empty() || lanes.back() - lanes.front() + 1 != lanes.size()) return false;
    auto* type = found.type;
    const std::uint64_t size = layout_.getTypeStoreSize(type->getElementType());
    const std::uint64_t bytes = size * lanes.size();
    const bool all = lanes.size() == type->getNumElements();
    if (size * 8 != type->getScalarSizeInBits() || type->getElementType()->isPointerTy() ||
        (!all && (bytes > tuning::kMaxFewBytes || !llvm::isPowerOf2_64(bytes))))
      return false;
    const std::uint64_t offset = size * lanes.front();
    Value* pointer = step(builder_, found.pointer, static_cast<std::int64_t>(offset), 1);
    const llvm::Align align = llvm::commonAlignment(found.align, offset);
    auto* piece = FixedVectorType::get(type->getElementType(), static_cast<unsigned>(lanes.size()));
    if (found.stored != nullptr) {
      Value* part = all ? found.stored : builder_.CreateShuffleVector(found.stored, places(lanes));
      builder_.CreateAlignedStore(part, pointer, align)->copyMetadata(instruction);
      return true;
    }
    llvm::LoadInst* load = builder_.CreateAlignedLoad(piece, pointer, align);
    load->copyMetadata(instruction);
    instruction.replaceAllUsesWith(in_place(load, lanes, *type));
    return true;
  }

  static llvm::SmallVector<int, 64> places(const Lanes& lanes) { return {lanes.begin(), lanes.end()}; }

  Value* in_place(Value* part, const Lanes& lanes, FixedVectorType& type) {
    if (lanes.size() == type.getNumElements()) return part;
    llvm::SmallVector<int, 64> from(type.getNumElements(), -1);
    for (const unsigned lane : lanes) from[lane] = static_cast<int>(lane - lanes.front());
    return builder_.CreateShuffleVector(part, from);
  }

  Builder builder_;
  const llvm::DataLayout& layout_;
};

}  // namespace

bool access_few_lanes(llvm::Function& function) {
  FewLanes few(function);
  bool changed = false;
  for (llvm::BasicBlock& block : function)
    for (Instruction& instruction : llvm::make_early_inc_range(block)) {
      if (!few.change(instruction)) continue;
      instruction.eraseFromParent();
      changed = true;
    }
  return changed;
}

}  // namespace skmd::codegen
