// SPDX-License-Identifier: Apache-2.0
// Loads and stores of lanes.
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/vector/lower_gathers.h"
#include "cpu-driver/codegen/vector/lower_masked.h"
#include "cpu-driver/codegen/vector/widener.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {}  // namespace

using llvm::Align;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

bool Widener::all_lanes(Value* mask) const {
  if (mask == nullptr) return true;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(mask);
  return constant != nullptr && constant->isOne();
}

// Whether a branch on skmd.any(mask) leads to `where`.
bool Widener::some_lane(Value* mask, const Instruction& where) {
  if (all_lanes(mask)) return true;
  for (llvm::User* user : mask->users()) {
    auto* any = llvm::dyn_cast<llvm::CallInst>(user);
    if (any == nullptr || marker(*any) != Marker::any) continue;
    for (llvm::User* decision : any->users()) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(decision);
      if (branch == nullptr || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
      const llvm::BasicBlockEdge edge(branch->getParent(), branch->getSuccessor(0));
      if (dominators_.dominates(edge, where.getParent())) return true;
    }
  }
  return false;
}

// Interleaved private variables are aligned by their position in the row of lanes, not by the alignment of the single
// variable.
Align Widener::lane_align(const Access& access) const {
  if (!layout_.interleaved(access.pointer)) return access.align;
  const std::uint64_t element = source_.getDataLayout().getTypeStoreSize(stored_type(access.type()));
  const bool same_element = shapes_[access.pointer].stride == static_cast<std::int64_t>(element);
  return Align(same_element ? std::min<std::uint64_t>(element * lanes_, 64) : element);
}

// More than its element's alignment may be known of an access, where some lanes read a float4 as such. The first lane's
// place, which may not be one of these, is aligned as its element is.
Align Widener::piece_align(const Access& access) const {
  const std::uint64_t element = source_.getDataLayout().getTypeStoreSize(stored_type(access.type()));
  return layout_.interleaved(access.pointer) ? lane_align(access) : llvm::commonAlignment(access.align, element);
}

int Widener::direction(const Access& access) const {
  const Shape shape = shapes_[access.pointer];
  if (shape.kind != Shape::linear) return 0;
  const auto size = static_cast<std::int64_t>(source_.getDataLayout().getTypeStoreSize(stored_type(access.type())));
  return shape.stride == size ? 1 : shape.stride == -size ? -1 : 0;
}

// Only what says where the bytes come from: the rest was true of lanes that ran.
void Widener::keep_metadata(const Instruction& source, Value* made) {
  auto* target = llvm::dyn_cast<Instruction>(made);
  if (target == nullptr) return;
  for (const unsigned kind : {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope,
                              llvm::LLVMContext::MD_noalias, llvm::LLVMContext::MD_nontemporal})
    if (llvm::MDNode* node = source.getMetadata(kind)) target->setMetadata(kind, node);
}

// Where one lane reads from its group's memory, what others of a vector would read can be read as well.
bool Widener::reads_around(const Access& access) {
  static_assert(cpu::kReadAroundScratch >= 32 * 4 * sizeof(double));  // lanes of four members (groups.cpp)
  return access.pointer->getType()->getPointerAddressSpace() == kLocalSpace &&
         some_lane(access.mask, *access.instruction);
}

// Where lanes that do not run read instead.
Value* Widener::idle_place(const Access& access) {
  if (idle_ == nullptr) {
    side_.SetInsertPoint(prologue_, prologue_->begin());
    side_.SetCurrentDebugLocation({});
    idle_ = side_.CreateAlloca(llvm::ArrayType::get(side_.getInt8Ty(), 128), nullptr, "idle");
    idle_->setAlignment(Align(64));
  }
  idle_->setAlignment(std::max(idle_->getAlign(), access.align));
  return builder_.CreateAddrSpaceCast(idle_, access.pointer->getType());
}

domain::Status Widener::load(const Access& access) {
  Instruction& source = *access.instruction;
  if (auto* plain = llvm::dyn_cast<llvm::LoadInst>(&source); plain != nullptr && !plain->isSimple())
    return unsupported(source, "an access that is not simple");
  if (shapes_[access.pointer].uniform()) {
    set_scalar(source, uniform_load(access));
    return {};
  }
  if (lanes_of(access.type(), lanes_) == nullptr || access.type()->isStructTy())
    return unsupported(source, "lanes of this type are not supported");
  Type* type = lanes_of(stored_type(access.type()), lanes_);
  const int next = direction(access);
  Value* made = nullptr;
  if (next == 0) {
    count_apart(access);
    made = looks_up(access, type) ? look_up(access, type) : gather(access, type);
  } else if (Value* check = check_of(access.pointer)) {
    made = if_else(
        builder_, check, [&] { return contiguous_load(access, type, next < 0); }, [&] { return gather(access, type); });
  } else {
    made = contiguous_load(access, type, next < 0);
  }
  set_vector(source, from_stored(builder_, made, lanes_of(access.type(), lanes_)));
  return {};
}

Value* Widener::uniform_load(const Access& access) {
  Value* pointer = scalar(access.pointer);
  if (!some_lane(access.mask, *access.instruction)) {
    Value* some = shapes_[access.mask].uniform() ? scalar(access.mask) : any_lane(builder_, vector(access.mask));
    pointer = builder_.CreateSelect(some, pointer, idle_place(access));
  }
  Value* made = builder_.CreateAlignedLoad(access.type(), pointer, access.align, access.instruction->getName());
  keep_metadata(*access.instruction, made);
  return made;
}

Value* Widener::first_address(const Access& access, Type* type, bool reversed) {
  Value* first = scalar(access.pointer);
  if (!reversed) return first;
  const auto size = source_.getDataLayout().getTypeStoreSize(type->getScalarType());
  return step(builder_, first, -static_cast<std::int64_t>(size), lanes_ - 1);
}

Value* Widener::contiguous_load(const Access& access, Type* type, bool reversed) {
  Value* first = first_address(access, type, reversed);
  Value* made = nullptr;
  if (all_lanes(access.mask) || reads_around(access)) {
    made = builder_.CreateAlignedLoad(type, first, piece_align(access));
  } else {
    Value* mask = mask_vector(access.mask);
    if (reversed) mask = builder_.CreateVectorReverse(mask);
    made = create_masked_load(builder_, llvm::cast<llvm::FixedVectorType>(type), first, piece_align(access), mask);
  }
  keep_metadata(*access.instruction, made);
  return reversed ? builder_.CreateVectorReverse(made) : made;
}

// Where addresses are known from the first lane's alone, loads are faster. Elsewhere a gather stays one until it is
// known which lanes go through it, and where to: without an instruction for it, only then it becomes loads
// (lower_gathers.h). With one, that is for 32 and 64 bits.
bool Widener::gathers_at_once(const Access& access, Type* type) const {
  const llvm::DataLayout& layout = source_.getDataLayout();
  const std::uint64_t bits = layout.getTypeStoreSizeInBits(type->getScalarType());
  if (bits != layout.getTypeSizeInBits(type->getScalarType())) return false;  // a vector of them is packed bits
  const Shape shape = shapes_[access.pointer];
  const bool computed = shape.kind == Shape::linear && !shape.checked && all_lanes(access.mask);
  if (computed) return false;
  if (gathers_by_instruction(options_.isa)) return (bits == 32 || bits == 64) && lanes_ * bits >= 256;
  // LLVM makes registers of variables that loads alone touch.
  return bits <= 64 && !layout_.interleaved(access.pointer);
}

void Widener::count_apart(const Access& access) const {
  const bool local = access.pointer->getType()->getPointerAddressSpace() == kLocalSpace;
  if (local && options_.apart != nullptr) ++*options_.apart;
}

Value* Widener::gather(const Access& access, Type* type) {
  remark(*access.instruction, "lanes are loaded one by one: not next to each other");
  return gather_at(access, lane_align(access), type, 0);
}

// Each lane's address, `delta` bytes from what is accessed.
Value* Widener::addresses(const Access& access, std::int64_t delta) {
  Value* pointers = vector(access.pointer);
  return delta == 0 ? pointers : builder_.CreateGEP(builder_.getInt8Ty(), pointers, builder_.getInt64(delta));
}

// `align` is what is known of the addresses.
Value* Widener::gather_at(const Access& access, Align align, Type* type, std::int64_t delta) {
  const bool all = all_lanes(access.mask);
  if (gathers_words(access, align, type)) return gather_words(access, type, delta);
  if (gathers_at_once(access, type)) {
    Value* made = builder_.CreateMaskedGather(type, addresses(access, delta), align, mask_vector(access.mask));
    keep_metadata(*access.instruction, made);
    return made;
  }
  Value* pointers = nullptr;
  if (!all) {
    Value* idle = splat(builder_, idle_place(access), lanes_);
    pointers = builder_.CreateSelect(mask_vector(access.mask), addresses(access, delta), idle);
  }
  Value* made = llvm::PoisonValue::get(type);
  for (unsigned at = 0; at < lanes_; ++at) {
    Value* pointer =
        all ? step(builder_, lane(access.pointer, at), delta, 1) : builder_.CreateExtractElement(pointers, at);
    llvm::LoadInst* one = builder_.CreateAlignedLoad(type->getScalarType(), pointer, align);
    keep_metadata(*access.instruction, one);
    made = builder_.CreateInsertElement(made, one, at);
  }
  return made;
}

// There is no instruction for less than 32 bits, and words of local memory may turn out to lie next to each other.
bool Widener::gathers_words(const Access& access, Align align, Type* type) const {
  const unsigned bits = type->getScalarSizeInBits();
  const bool local = access.pointer->getType()->getPointerAddressSpace() == kLocalSpace;
  return (bits == 8 || (bits == 16 && align >= 2)) && (local || gathers_by_instruction(options_.isa)) &&
         gathers_at_once(access, lanes_of(llvm::Type::getInt32Ty(type->getContext()), lanes_));
}

// A byte's aligned word is on the byte's page: what is read beside it does not fault, and is dropped. Behind
// local memory there is room for a word from its last byte on (kReadAroundScratch).
Value* Widener::gather_words(const Access& access, Type* type, std::int64_t delta) {
  Value* pointers = addresses(access, delta);
  Type* words = lanes_of(builder_.getInt32Ty(), lanes_);
  if (access.pointer->getType()->getPointerAddressSpace() == kLocalSpace) {
    Value* found = builder_.CreateMaskedGather(words, pointers, Align(1), mask_vector(access.mask));
    return builder_.CreateBitCast(
        builder_.CreateTrunc(found, lanes_of(builder_.getIntNTy(type->getScalarSizeInBits()), lanes_)), type);
  }
  Value* numbers = builder_.CreatePtrToInt(pointers, lanes_of(builder_.getInt64Ty(), lanes_));
  const auto constant = [&](Type* of, std::uint64_t value) { return llvm::ConstantInt::get(of, value); };
  Value* aligned = builder_.CreateAnd(numbers, constant(numbers->getType(), ~std::uint64_t{3}));
  Value* found = builder_.CreateMaskedGather(words, builder_.CreateIntToPtr(aligned, pointers->getType()), Align(4),
                                             mask_vector(access.mask));
  Value* bytes = builder_.CreateAnd(builder_.CreateTrunc(numbers, words), constant(words, 3));
  found = builder_.CreateLShr(found, builder_.CreateShl(bytes, constant(words, 3)));
  Type* narrow = lanes_of(builder_.getIntNTy(type->getScalarSizeInBits()), lanes_);
  return builder_.CreateBitCast(builder_.CreateTrunc(found, narrow), type);
}

domain::Status Widener::store(const Access& access) {
  Instruction& source = *access.instruction;
  if (auto* plain = llvm::dyn_cast<llvm::StoreInst>(&source); plain != nullptr && !plain->isSimple())
    return unsupported(source, "an access that is not simple");
  const bool one = shapes_[access.pointer].uniform();
  if (one && shapes_[access.stored].uniform()) {
    uniform_store(access);
    return {};
  }
  if (lanes_of(access.type(), lanes_) == nullptr || access.type()->isStructTy())
    return unsupported(source, "lanes of this type are not supported");
  if (one) {
    uniform_store(access);
    return {};
  }
  Value* value = to_stored(builder_, vector(access.stored));
  const int next = direction(access);
  if (next == 0) {
    count_apart(access);
    scatter(access, value);
  } else if (Value* check = check_of(access.pointer)) {
    if_else(
        builder_, check,
        [&] {
          contiguous_store(access, value, next < 0);
          return nullptr;
        },
        [&] {
          scatter(access, value);
          return nullptr;
        });
  } else {
    contiguous_store(access, value, next < 0);
  }
  return {};
}

// The last lane's value stays, as if items ran in order.
void Widener::uniform_store(const Access& access) {
  const bool one_value = shapes_[access.stored].uniform();
  const bool all = all_lanes(access.mask);
  Value* some = builder_.getTrue();
  Value* last = builder_.getInt32(lanes_ - 1);
  if (!all && shapes_[access.mask].uniform()) {
    some = scalar(access.mask);
  } else if (!all) {
    Value* bits = mask_bits(builder_, vector(access.mask));
    some = some_lane(access.mask, *access.instruction) ? builder_.getTrue()
                                                       : builder_.CreateICmpNE(bits, builder_.getInt32(0));
    Value* above = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder_.getFalse());
    // At most the last lane, even where there is none.
    last = builder_.CreateAnd(builder_.CreateSub(builder_.getInt32(31), above), builder_.getInt32(lanes_ - 1));
  }
  if_true(builder_, some, [&] {
    Value* value = one_value ? scalar(access.stored) : builder_.CreateExtractElement(vector(access.stored), last);
    Value* made = builder_.CreateAlignedStore(value, scalar(access.pointer), access.align);
    keep_metadata(*access.instruction, made);
  });
}

void Widener::contiguous_store(const Access& access, Value* value, bool reversed) {
  Value* first = first_address(access, value->getType(), reversed);
  if (reversed) value = builder_.CreateVectorReverse(value);
  if (all_lanes(access.mask)) {
    keep_metadata(*access.instruction, builder_.CreateAlignedStore(value, first, piece_align(access)));
    return;
  }
  Value* mask = mask_vector(access.mask);
  if (reversed) mask = builder_.CreateVectorReverse(mask);
  keep_metadata(*access.instruction, create_masked_store(builder_, value, first, piece_align(access), mask));
}

void Widener::scatter(const Access& access, Value* value) {
  remark(*access.instruction, "lanes are stored one by one: not next to each other");
  scatter_at(access, lane_align(access), value, 0);
}

void Widener::scatter_at(const Access& access, Align align, Value* value, std::int64_t delta) {
  if (!all_lanes(access.mask)) {
    // In the order of lanes, by definition.
    Value* made = builder_.CreateMaskedScatter(value, addresses(access, delta), align, mask_vector(access.mask));
    keep_metadata(*access.instruction, made);
    return;
  }
  for (unsigned at = 0; at < lanes_; ++at) {
    Value* one = builder_.CreateExtractElement(value, at);
    Value* pointer = step(builder_, lane(access.pointer, at), delta, 1);
    keep_metadata(*access.instruction, builder_.CreateAlignedStore(one, pointer, align));
  }
}

}  // namespace skmd::codegen
