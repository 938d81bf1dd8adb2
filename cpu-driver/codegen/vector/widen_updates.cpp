// SPDX-License-Identifier: Apache-2.0
// ++counters[i]: small elements that are loaded, changed and stored where they were. A processor has neither gathers
// nor scatters for these, but does all three for one lane at once.
#include "cpu-driver/codegen/vector/addresses.h"
#include "cpu-driver/codegen/vector/widener.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kWidest = 16;  // wider ones are gathered and scattered

bool writes(Instruction& instruction) {
  const std::optional<Access> found = access(instruction);
  return found ? found->stored != nullptr : instruction.mayWriteToMemory();
}

bool nothing_is_written_between(const Instruction& first, const Instruction& last) {
  for (const Instruction* at = first.getNextNode(); at != &last; at = at->getNextNode())
    if (at == nullptr || writes(const_cast<Instruction&>(*at))) return false;
  return true;
}

bool is_plain(const Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store == nullptr || store->isSimple();
}

}  // namespace

/// By their stores.
void Widener::find_updates() {
  for (llvm::BasicBlock& block : source_)
    for (Instruction& instruction : block) {
      const std::optional<Access> store = access(instruction);
      if (!store || store->stored == nullptr) continue;
      auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(store->stored);
      if (operation == nullptr || !operation->hasOneUse() || operation->isIntDivRem()) continue;
      for (Value* operand : operation->operands()) {
        auto* from = llvm::dyn_cast<Instruction>(operand);
        const std::optional<Access> load = from == nullptr ? std::nullopt : access(*from);
        if (!load || !is_update(*load, *store)) continue;
        updates_[&instruction] = {operation, from};
        inside_updates_.insert(from);
        inside_updates_.insert(operation);
        break;
      }
    }
}

bool Widener::is_update(const Access& load, const Access& store) const {
  const Instruction& from = *load.instruction;
  const Instruction& to = *store.instruction;
  return load.type()->isIntegerTy() && load.type()->getIntegerBitWidth() >= 8 &&
         load.type()->getIntegerBitWidth() <= kWidest && load.pointer == store.pointer && load.mask == store.mask &&
         from.hasOneUse() && from.getParent() == to.getParent() && from.comesBefore(&to) && is_plain(from) &&
         is_plain(to) && groups_.of(&from) == nullptr && groups_.of(&to) == nullptr &&
         shapes_[load.pointer].kind == Shape::varying && nothing_is_written_between(from, to);
}

// Lanes in their order. Numbers that tell places go through memory, since out of a vector register each takes two
// steps; volatile, or LLVM would know what is there.
void Widener::update(const Access& store, const Update& update) {
  remark(*store.instruction, "lanes are updated one by one: not next to each other");
  const Address address = address_of(*store.pointer, source_.getDataLayout(), TakeApart::extensions);
  const bool near = all_lanes(store.mask) && address.number != nullptr && address.base != nullptr &&
                    shapes_[address.base].uniform() && address.number->getType()->isIntegerTy(32);
  Value* pointers = nullptr;
  llvm::AllocaInst* numbers = nullptr;
  if (near) {
    Value* all = vector(address.number);
    numbers = lane_array(address.number->getType());
    builder_.CreateAlignedStore(all, numbers, numbers->getAlign());
  } else if (!all_lanes(store.mask)) {
    pointers = builder_.CreateSelect(mask_vector(store.mask), vector(store.pointer),
                                     splat(builder_, idle_place(store), lanes_));
  }
  for (unsigned at = 0; at < lanes_; ++at) {
    Value* pointer = near                  ? place_of_lane(address, numbers, at)
                     : pointers == nullptr ? lane(store.pointer, at)
                                           : builder_.CreateExtractElement(pointers, at);
    update_lane(store, update, pointer, at);
  }
}

Value* Widener::place_of_lane(const Address& address, llvm::AllocaInst* numbers, unsigned at) {
  Value* number = builder_.CreateAlignedLoad(builder_.getInt32Ty(), step(builder_, numbers, sizeof(std::uint32_t), at),
                                             llvm::Align(4), /*isVolatile=*/true);
  number = address.extension == Address::zero ? builder_.CreateZExt(number, builder_.getInt64Ty())
                                              : builder_.CreateSExt(number, builder_.getInt64Ty());
  number = builder_.CreateMul(number, builder_.getInt64(address.factor));
  number = builder_.CreateAdd(number, builder_.getInt64(static_cast<std::uint64_t>(address.offset)));
  return builder_.CreateGEP(builder_.getInt8Ty(), scalar(address.base), number);
}

void Widener::update_lane(const Access& store, const Update& update, Value* pointer, unsigned at) {
  Value* had = builder_.CreateAlignedLoad(store.type(), pointer, lane_align(store));
  keep_metadata(*update.load, had);
  Instruction* made = update.operation->clone();
  for (llvm::Use& operand : made->operands()) {
    Value* value = operand.get();
    operand.set(value == update.load ? had : shapes_[value].uniform() ? scalar(value) : lane(value, at));
  }
  builder_.Insert(made);
  keep_metadata(*store.instruction, builder_.CreateAlignedStore(made, pointer, lane_align(store)));
}

}  // namespace skmd::codegen
