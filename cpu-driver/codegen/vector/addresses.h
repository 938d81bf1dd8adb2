// SPDX-License-Identifier: Apache-2.0
// Addresses as sums, to find accesses of neighbouring memory.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Value.h>

#include <cstdint>

namespace skmd::codegen {

/// base + factor * extended(number) + offset, in bytes. It holds in lanes that make the access.
struct Address {
  enum Extension : std::uint8_t { none, sign, zero };
  llvm::Value* base = nullptr;
  llvm::Value* number = nullptr;  // null: there is none
  Extension extension = none;
  std::uint64_t factor = 0;
  std::int64_t offset = 0;

  /// Whether `other` differs by its offset at most.
  [[nodiscard]] bool beside(const Address& other) const {
    return base == other.base && number == other.number && extension == other.extension && factor == other.factor;
  }
};

/// What is taken apart: constants only, which holds in all lanes; what is added, believing flags; what is added before
/// numbers are extended, where that does not wrap.
enum class TakeApart : std::uint8_t { constants, sums, extensions };

/// `pointer` is one of prepared code (prepare.h).
Address address_of(llvm::Value& pointer, const llvm::DataLayout& layout, TakeApart depth);

}  // namespace skmd::codegen
