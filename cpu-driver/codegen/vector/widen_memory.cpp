// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_memory.h"

#include "cpu-driver/codegen/vector/diagnostics.h"
#include "cpu-driver/codegen/vector/lower_masked.h"

namespace skmd::codegen {

using llvm::Type;
using llvm::Value;

domain::Status MemoryWidener::widen(const Access& access) {
  llvm::Instruction& source = *access.instruction;
  if (!is_simple(source)) return unsupported(source, "an access that is not simple");
  const bool one_place = values_.shape(access.pointer).uniform();
  if (one_place && access.stored == nullptr) {
    values_.set_scalar(source, uniform_load(access));
    return {};
  }
  const bool one_value = one_place && values_.shape(access.stored).uniform();
  if (!one_value && (lanes_of(access.type(), values_.lanes()) == nullptr || access.type()->isStructTy()))
    return unsupported(source, "lanes of this type are not supported");
  if (one_place) {
    uniform_store(access);
  } else if (access.stored == nullptr) {
    load(access);
  } else {
    store(access);
  }
  return {};
}

void MemoryWidener::load(const Access& access) {
  Type* type = lanes_of(stored_type(access.type()), values_.lanes());
  const int next = facts_.direction(access);
  Value* made = nullptr;
  if (next == 0) {
    made = gathers_.load(access, type);
  } else if (Value* check = values_.check_of(access.pointer)) {
    made = if_else(
        builder_, check, [&] { return contiguous_load(access, type, next < 0); },
        [&] { return gathers_.gather(access, type); });
  } else {
    made = contiguous_load(access, type, next < 0);
  }
  values_.set_vector(*access.instruction, from_stored(builder_, made, lanes_of(access.type(), values_.lanes())));
}

Value* MemoryWidener::uniform_load(const Access& access) {
  Value* pointer = values_.scalar(access.pointer);
  if (!facts_.in_some_lane(access)) {
    Value* some = values_.shape(access.mask).uniform() ? values_.scalar(access.mask)
                                                       : any_lane(builder_, values_.vector(access.mask));
    pointer = builder_.CreateSelect(some, pointer, storage_.idle_place(builder_, access));
  }
  Value* made = builder_.CreateAlignedLoad(access.type(), pointer, access.align, access.instruction->getName());
  keep_metadata(*access.instruction, made);
  return made;
}

Value* MemoryWidener::first_address(const Access& access, Type* type, bool reversed) {
  Value* first = values_.scalar(access.pointer);
  if (!reversed) return first;
  const auto size = access.instruction->getDataLayout().getTypeStoreSize(type->getScalarType());
  return step(builder_, first, -static_cast<std::int64_t>(size), values_.lanes() - 1);
}

Value* MemoryWidener::contiguous_load(const Access& access, Type* type, bool reversed) {
  Value* first = first_address(access, type, reversed);
  const llvm::Align align = facts_.piece_align(access);
  Value* made = nullptr;
  if (all_lanes(access.mask) || facts_.reads_around(access)) {
    made = builder_.CreateAlignedLoad(type, first, align);
  } else {
    Value* mask = values_.mask_vector(access.mask);
    if (reversed) mask = builder_.CreateVectorReverse(mask);
    made = create_masked_load(builder_, llvm::cast<llvm::FixedVectorType>(type), first, align, mask);
  }
  keep_metadata(*access.instruction, made);
  return reversed ? builder_.CreateVectorReverse(made) : made;
}

void MemoryWidener::store(const Access& access) {
  Value* value = to_stored(builder_, values_.vector(access.stored));
  const int next = facts_.direction(access);
  if (next == 0) {
    gathers_.store(access, value);
  } else if (Value* check = values_.check_of(access.pointer)) {
    if_else(
        builder_, check,
        [&] {
          contiguous_store(access, value, next < 0);
          return nullptr;
        },
        [&] {
          gathers_.scatter(access, value);
          return nullptr;
        });
  } else {
    contiguous_store(access, value, next < 0);
  }
}

// The last lane's value stays, as if items ran in order.
void MemoryWidener::uniform_store(const Access& access) {
  const bool one_value = values_.shape(access.stored).uniform();
  const bool all = all_lanes(access.mask);
  const unsigned last_lane = values_.lanes() - 1;
  Value* some = builder_.getTrue();
  Value* last = builder_.getInt32(last_lane);
  if (!all && values_.shape(access.mask).uniform()) {
    some = values_.scalar(access.mask);
  } else if (!all) {
    Value* bits = mask_bits(builder_, values_.vector(access.mask));
    some = facts_.in_some_lane(access) ? builder_.getTrue() : builder_.CreateICmpNE(bits, builder_.getInt32(0));
    Value* above = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder_.getFalse());
    // At most the last lane, even where there is none.
    last = builder_.CreateAnd(builder_.CreateSub(builder_.getInt32(31), above), builder_.getInt32(last_lane));
  }
  if_true(builder_, some, [&] {
    Value* value =
        one_value ? values_.scalar(access.stored) : builder_.CreateExtractElement(values_.vector(access.stored), last);
    Value* made = builder_.CreateAlignedStore(value, values_.scalar(access.pointer), access.align);
    keep_metadata(*access.instruction, made);
  });
}

void MemoryWidener::contiguous_store(const Access& access, Value* value, bool reversed) {
  Value* first = first_address(access, value->getType(), reversed);
  if (reversed) value = builder_.CreateVectorReverse(value);
  if (all_lanes(access.mask)) {
    keep_metadata(*access.instruction, builder_.CreateAlignedStore(value, first, facts_.piece_align(access)));
    return;
  }
  Value* mask = values_.mask_vector(access.mask);
  if (reversed) mask = builder_.CreateVectorReverse(mask);
  keep_metadata(*access.instruction, create_masked_store(builder_, value, first, facts_.piece_align(access), mask));
}

}  // namespace skmd::codegen
