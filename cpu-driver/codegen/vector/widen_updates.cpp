// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_updates.h"

namespace skmd::codegen {

using llvm::Value;

// Numbers that tell places go through memory, since out of a vector register each takes two steps; volatile, or LLVM
// would know what is there.
void UpdateWidener::widen(const Access& store, const Update& update) {
  remarks_.add(*store.instruction, "lanes are updated one by one: not next to each other");
  const Address address = address_of(*store.pointer, store.instruction->getDataLayout(), TakeApart::extensions);
  const bool near = all_lanes(store.mask) && address.number != nullptr && address.base != nullptr &&
                    values_.shape(address.base).uniform() && address.number->getType()->isIntegerTy(32);
  Value* pointers = nullptr;
  llvm::AllocaInst* numbers = nullptr;
  if (near) {
    Value* all = values_.vector(address.number);
    numbers = storage_.array(address.number->getType());
    builder_.CreateAlignedStore(all, numbers, numbers->getAlign());
  } else if (!all_lanes(store.mask)) {
    pointers = builder_.CreateSelect(values_.mask_vector(store.mask), values_.vector(store.pointer),
                                     splat(builder_, storage_.idle_place(builder_, store), values_.lanes()));
  }
  for (unsigned at = 0; at < values_.lanes(); ++at) {
    Value* pointer = near                  ? place_of_lane(address, numbers, at)
                     : pointers == nullptr ? values_.lane(store.pointer, at)
                                           : builder_.CreateExtractElement(pointers, at);
    lane(store, update, pointer, at);
  }
}

Value* UpdateWidener::place_of_lane(const Address& address, llvm::AllocaInst* numbers, unsigned at) {
  Value* number = builder_.CreateAlignedLoad(builder_.getInt32Ty(), step(builder_, numbers, sizeof(std::uint32_t), at),
                                             llvm::Align(4), /*isVolatile=*/true);
  number = address.extension == Address::zero ? builder_.CreateZExt(number, builder_.getInt64Ty())
                                              : builder_.CreateSExt(number, builder_.getInt64Ty());
  number = builder_.CreateMul(number, builder_.getInt64(address.factor));
  number = builder_.CreateAdd(number, builder_.getInt64(static_cast<std::uint64_t>(address.offset)));
  return builder_.CreateGEP(builder_.getInt8Ty(), values_.scalar(address.base), number);
}

void UpdateWidener::lane(const Access& store, const Update& update, Value* pointer, unsigned at) {
  const llvm::Align align = facts_.lane_align(store);
  Value* had = builder_.CreateAlignedLoad(store.type(), pointer, align);
  keep_metadata(*update.load, had);
  llvm::Instruction* made = update.operation->clone();
  for (llvm::Use& operand : made->operands()) {
    Value* value = operand.get();
    operand.set(value == update.load             ? had
                : values_.shape(value).uniform() ? values_.scalar(value)
                                                 : values_.lane(value, at));
  }
  builder_.Insert(made);
  keep_metadata(*store.instruction, builder_.CreateAlignedStore(made, pointer, align));
}

}  // namespace skmd::codegen
