// SPDX-License-Identifier: Apache-2.0
// Stores of a span function before they are code: markers that know offsets in arguments. LLVM sees them as calls that
// access memory inaccessible to the module, so that it can move and remove the code around them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace skmd::compiler {

/// `count` elements of `width` bytes, densely from `offset` of an argument on.
struct Stored {
  llvm::Value* offset = nullptr;  // i64
  std::uint64_t width = 1;
  llvm::Value* count = nullptr;  // i64
  unsigned argument = 0;
  std::uint64_t unit = 1;       // of the argument: store_units()
  std::uint64_t alignment = 1;  // divides `offset`
};

void tell_stored(llvm::IRBuilder<>& ir, const Stored& stored);
bool is_stored(const llvm::Instruction& instruction);
Stored stored_of(const llvm::CallInst& call);

/// Replaces every marker by setting bits where the argument has some, else by a copy from the result.
void lower_stored(llvm::Function& span);

}  // namespace skmd::compiler
