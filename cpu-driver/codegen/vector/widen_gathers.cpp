// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_gathers.h"

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/vector/lower_gathers.h"
#include "cpu-driver/codegen/vector/widen_tables.h"

namespace skmd::codegen {

namespace {

using llvm::Align;
using llvm::Type;
using llvm::Value;

bool is_local(const Access& access) { return access.pointer->getType()->getPointerAddressSpace() == kLocalSpace; }

}  // namespace

void GatherWidener::count_apart(const Access& access) const {
  if (is_local(access) && apart_ != nullptr) ++*apart_;
}

Value* GatherWidener::load(const Access& access, Type* type) {
  count_apart(access);
  return looks_up(access, type, values_, isa_) ? look_up(builder_, values_, access, type) : gather(access, type);
}

void GatherWidener::store(const Access& access, Value* value) {
  count_apart(access);
  scatter(access, value);
}

Value* GatherWidener::gather(const Access& access, Type* type) {
  remarks_.add(*access.instruction, "lanes are loaded one by one: not next to each other");
  return gather_at(access, facts_.lane_align(access), type, 0);
}

void GatherWidener::scatter(const Access& access, Value* value) {
  remarks_.add(*access.instruction, "lanes are stored one by one: not next to each other");
  scatter_at(access, facts_.lane_align(access), value, 0);
}

// Where addresses are known from the first lane's alone, loads are faster. Elsewhere a gather stays one until it is
// known which lanes go through it, and where to: without an instruction for it, only then it becomes loads
// (lower_gathers.h). With one, that is for 32 and 64 bits.
bool GatherWidener::gathers_at_once(const Access& access, Type* type) const {
  const llvm::DataLayout& layout = access.instruction->getDataLayout();
  const std::uint64_t bits = layout.getTypeStoreSizeInBits(type->getScalarType());
  if (bits != layout.getTypeSizeInBits(type->getScalarType())) return false;  // a vector of them is packed bits
  const Shape shape = values_.shape(access.pointer);
  const bool computed = shape.kind == Shape::linear && !shape.checked && all_lanes(access.mask);
  if (computed) return false;
  if (gathers_by_instruction(isa_)) return (bits == 32 || bits == 64) && values_.lanes() * bits >= 256;
  // LLVM makes registers of variables that loads alone touch.
  return bits <= 64 && !facts_.interleaved(access);
}

// Each lane's address, `delta` bytes from what is accessed.
Value* GatherWidener::addresses(const Access& access, std::int64_t delta) {
  Value* pointers = values_.vector(access.pointer);
  return delta == 0 ? pointers : builder_.CreateGEP(builder_.getInt8Ty(), pointers, builder_.getInt64(delta));
}

Value* GatherWidener::gather_at(const Access& access, Align align, Type* type, std::int64_t delta) {
  if (gathers_words(access, align, type)) return gather_words(access, type, delta);
  if (!gathers_at_once(access, type)) return gather_lanes(access, align, type, delta);
  Value* made = builder_.CreateMaskedGather(type, addresses(access, delta), align, values_.mask_vector(access.mask));
  keep_metadata(*access.instruction, made);
  return made;
}

Value* GatherWidener::gather_lanes(const Access& access, Align align, Type* type, std::int64_t delta) {
  const bool all = all_lanes(access.mask);
  Value* pointers = nullptr;
  if (!all) {
    Value* idle = splat(builder_, storage_.idle_place(builder_, access), values_.lanes());
    pointers = builder_.CreateSelect(values_.mask_vector(access.mask), addresses(access, delta), idle);
  }
  Value* made = llvm::PoisonValue::get(type);
  for (unsigned at = 0; at < values_.lanes(); ++at) {
    Value* pointer =
        all ? step(builder_, values_.lane(access.pointer, at), delta, 1) : builder_.CreateExtractElement(pointers, at);
    llvm::LoadInst* one = builder_.CreateAlignedLoad(type->getScalarType(), pointer, align);
    keep_metadata(*access.instruction, one);
    made = builder_.CreateInsertElement(made, one, at);
  }
  return made;
}

// There is no instruction for less than 32 bits, and words of local memory may turn out to lie next to each other.
bool GatherWidener::gathers_words(const Access& access, Align align, Type* type) const {
  const unsigned bits = type->getScalarSizeInBits();
  return (bits == 8 || (bits == 16 && align >= 2)) && (is_local(access) || gathers_by_instruction(isa_)) &&
         gathers_at_once(access, lanes_of(Type::getInt32Ty(type->getContext()), values_.lanes()));
}

// A byte's aligned word is on the byte's page: what is read beside it does not fault, and is dropped. Behind
// local memory there is room for a word from its last byte on (kReadAroundScratch).
Value* GatherWidener::gather_words(const Access& access, Type* type, std::int64_t delta) {
  Value* pointers = addresses(access, delta);
  const unsigned lanes = values_.lanes();
  Type* words = lanes_of(builder_.getInt32Ty(), lanes);
  if (is_local(access)) {
    Value* found = builder_.CreateMaskedGather(words, pointers, Align(1), values_.mask_vector(access.mask));
    return builder_.CreateBitCast(
        builder_.CreateTrunc(found, lanes_of(builder_.getIntNTy(type->getScalarSizeInBits()), lanes)), type);
  }
  Value* numbers = builder_.CreatePtrToInt(pointers, lanes_of(builder_.getInt64Ty(), lanes));
  const auto constant = [&](Type* of, std::uint64_t value) { return llvm::ConstantInt::get(of, value); };
  Value* aligned = builder_.CreateAnd(numbers, constant(numbers->getType(), ~std::uint64_t{3}));
  Value* found = builder_.CreateMaskedGather(words, builder_.CreateIntToPtr(aligned, pointers->getType()), Align(4),
                                             values_.mask_vector(access.mask));
  Value* bytes = builder_.CreateAnd(builder_.CreateTrunc(numbers, words), constant(words, 3));
  found = builder_.CreateLShr(found, builder_.CreateShl(bytes, constant(words, 3)));
  Type* narrow = lanes_of(builder_.getIntNTy(type->getScalarSizeInBits()), lanes);
  return builder_.CreateBitCast(builder_.CreateTrunc(found, narrow), type);
}

void GatherWidener::scatter_at(const Access& access, Align align, Value* value, std::int64_t delta) {
  if (!all_lanes(access.mask)) {
    // In the order of lanes, by definition.
    Value* made =
        builder_.CreateMaskedScatter(value, addresses(access, delta), align, values_.mask_vector(access.mask));
    keep_metadata(*access.instruction, made);
    return;
  }
  for (unsigned at = 0; at < values_.lanes(); ++at) {
    Value* one = builder_.CreateExtractElement(value, at);
    Value* pointer = step(builder_, values_.lane(access.pointer, at), delta, 1);
    keep_metadata(*access.instruction, builder_.CreateAlignedStore(one, pointer, align));
  }
}

}  // namespace skmd::codegen
