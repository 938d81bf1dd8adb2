// SPDX-License-Identifier: Apache-2.0
// In which units a merge function may mark what it stores (cpu-driver/span_code.h).
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

namespace skmd::compiler {

/// A power of two that divides the distance, bytes, of `place` from the object that it points into, for all arguments
/// of the kernel.
std::uint64_t known_alignment(const llvm::Value& place, const llvm::DataLayout& layout);

/// Per argument of a kernel with the blocks `body`; 0 where no marker stores.
std::vector<std::uint8_t> store_units(const std::vector<llvm::BasicBlock*>& body, std::size_t arguments);

}  // namespace skmd::compiler
