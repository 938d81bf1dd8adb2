// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/byte_shuffles.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Support/MathExtras.h>

#include <array>

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Value;

constexpr unsigned kRow = 16;          // bytes that a shuffle picks among
constexpr unsigned kRows = 16;         // of a table
constexpr unsigned kHalf = kRows / 2;  // rows that one bit of an index tells apart

unsigned lanes_in(const Value& value) { return llvm::cast<FixedVectorType>(value.getType())->getNumElements(); }

// Some lanes, from `first` on; what is behind the last is anything.
Value* part(Builder& builder, Value* vector, unsigned first, unsigned count) {
  llvm::SmallVector<int, 32> places;
  for (unsigned at = first; at < first + count; ++at)
    places.push_back(at < lanes_in(*vector) ? static_cast<int>(at) : -1);
  return builder.CreateShuffleVector(vector, places);
}

/// A shuffle gives 0 for an index with its highest bit set, and looks at the lowest four of others. So rows of a half
/// are combined with those before them, and the index goes down by a row's length from shuffle to shuffle: what an
/// index has not gone below of is
///   row 0 ^ (row 0 ^ row 1) ^ (row 1 ^ row 2) ^ ...
/// up to its own row. An index of the other half is below 0 all the time, for which subtraction must saturate.
class Shuffles {
 public:
  Shuffles(Builder& builder, Value* base, unsigned lanes) : builder_(builder), lanes_(lanes) {
    auto* row = FixedVectorType::get(builder.getInt8Ty(), kRow);
    Value* before = nullptr;
    for (unsigned at = 0; at < kRows; ++at) {
      Value* here = repeated(builder.CreateAlignedLoad(row, step(builder, base, kRow, at), llvm::Align(1)));
      rows_[at] = at % kHalf == 0 ? here : builder.CreateXor(before, here);
      before = here;
    }
  }

  Value* pick(Value* index) {
    Value* lower = half(index, 0);
    Value* upper = half(builder_.CreateXor(index, constant(0x80)), kHalf);
    return builder_.CreateXor(lower, upper);
  }

 private:
  Value* constant(std::uint8_t byte) {
    return llvm::ConstantInt::get(FixedVectorType::get(builder_.getInt8Ty(), lanes_), byte);
  }

  Value* repeated(Value* row) {
    llvm::SmallVector<int, 32> places;
    for (unsigned at = 0; at < lanes_; ++at) places.push_back(static_cast<int>(at % kRow));
    return lanes_ == kRow ? row : builder_.CreateShuffleVector(row, places);
  }

  Value* shuffle(Value* row, Value* index) {
    const auto id = lanes_ == kRow ? llvm::Intrinsic::x86_ssse3_pshuf_b_128 : llvm::Intrinsic::x86_avx2_pshuf_b;
    return builder_.CreateIntrinsic(id, {}, {row, index});
  }

  Value* half(Value* index, unsigned first) {
    Value* found = shuffle(rows_[first], index);
    for (unsigned at = first + 1; at < first + kHalf; ++at) {
      index = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, index, constant(kRow));
      found = builder_.CreateXor(found, shuffle(rows_[at], index));
    }
    return found;
  }

  Builder& builder_;
  const unsigned lanes_;
  std::array<Value*, kRows> rows_{};
};

}  // namespace

Value* pick_by_shuffles(Builder& builder, Value* base, Value* index, Isa isa) {
  const unsigned count = lanes_in(*index);
  const unsigned at_once = isa != Isa::sse && count > kRow ? 2 * kRow : kRow;
  Shuffles shuffles(builder, base, at_once);
  llvm::SmallVector<Value*, 8> found;
  for (unsigned first = 0; first < count; first += at_once)
    found.push_back(shuffles.pick(count == at_once ? index : part(builder, index, first, at_once)));
  Value* all = joined(builder, found);
  return lanes_in(*all) == count ? all : part(builder, all, 0, count);
}

}  // namespace skmd::codegen
