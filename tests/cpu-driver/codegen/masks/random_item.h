// SPDX-License-Identifier: Apache-2.0
// Random item functions that always end: nested branches, switches and loops with break, continue, return and jumps
// out of several of them; private arrays, shared reads, atomics, builtins, divisions.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

namespace skmd::test {

/// Parameters: the lane (i64), two uniform i32, then pointers to kShared words to read, to kOwn words for each lane to
/// write, and to one word that all lanes add to. Returns i32, the same for all, or nothing.
inline constexpr unsigned kShared = 64;
inline constexpr unsigned kOwn = 8;
llvm::Function* create_random_item(llvm::Module& module, std::uint64_t seed);

}  // namespace skmd::test
