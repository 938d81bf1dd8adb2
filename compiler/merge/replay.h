// SPDX-License-Identifier: Apache-2.0
// From a kernel to the skeleton of its merge function: stores become markers, computation that no marker needs is
// removed.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::compiler {

/// `call void @skmd.replay.pN(ptr addrspace(N) place, i64 width, i64 count)`: this work-item stores `count` elements of
/// `width` bytes (a constant), densely from `place` on.
inline constexpr char kReplay[] = "skmd.replay";
bool is_replay(const llvm::Instruction& instruction);

/// Turns global stores into markers and removes barriers, stores to local memory and global atomics: if an address
/// depended on their effect, a load remains that shows it.
void mark_stores(llvm::Function& kernel);

/// Removes everything that no marker needs, dead loops included.
void strip(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler
