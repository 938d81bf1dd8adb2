// SPDX-License-Identifier: Apache-2.0
// Shapes: how a value differs between neighbouring lanes.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

#include "cpu-driver/codegen/vector/private_layout.h"

namespace skmd::codegen {

/// Lane l's value is lane 0's plus l * stride, modulo 2^(the type's bits); for pointers in bytes.
struct Shape {
  enum Kind : std::uint8_t { unknown, linear, varying };
  Kind kind = unknown;
  /// Only where a condition that is computed beside the value holds: an extended number may have wrapped.
  bool checked = false;
  std::int64_t stride = 0;

  [[nodiscard]] bool uniform() const { return kind == linear && stride == 0 && !checked; }
  bool operator==(const Shape&) const = default;
};

class Shapes {
 public:
  /// `function` is prepared (prepare.h). `trust_flags`: nsw and nuw hold in lane 0 where what they are promised for
  /// must not be poison (trust.h); else they may not even there.
  Shapes(llvm::Function& function, const PrivateLayout& layout, unsigned lanes, bool trust_flags);

  [[nodiscard]] Shape operator[](const llvm::Value* value) const;

 private:
  Shape of(llvm::Instruction& instruction) const;
  Shape of_call(llvm::CallInst& call) const;
  Shape of_phi(const llvm::PHINode& phi) const;
  Shape of_sum(const llvm::Instruction& sum) const;
  Shape of_product(const llvm::Instruction& product) const;
  Shape of_offset(const llvm::GetElementPtrInst& address) const;
  Shape of_cast(const llvm::CastInst& cast) const;
  [[nodiscard]] static bool no_common_bits(const llvm::Instruction& either);
  bool operands_uniform(const llvm::Instruction& instruction) const;
  /// Whether lane l's `value`, extended, is lane 0's, extended, plus l * stride, without wrapping.
  bool extends(const llvm::Value* value, bool sign, bool trust_flags, unsigned depth) const;
  bool extends(const llvm::CastInst& cast, bool sign) const;
  bool extends_by_flags(const llvm::Value* value, bool sign, unsigned depth) const;

  const PrivateLayout& layout_;
  unsigned lanes_;
  bool trust_flags_;
  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
};

}  // namespace skmd::codegen
