// SPDX-License-Identifier: Apache-2.0
// Code that tells whether tests fail (trap_tests.h).
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <map>
#include <utility>

#include "compiler/yield/trap_tests.h"

namespace skmd::compiler {

/// Bytes from `object` to `address`, i64: the steps in between where they are seen.
llvm::Value* bytes_between(llvm::IRBuilder<>& ir, llvm::Value& object, llvm::Value& address);

class TrapCode {
 public:
  /// `entry`: the kernel's first block, which gets what all tests have in common.
  TrapCode(llvm::ScalarEvolution& evolution, llvm::BasicBlock& entry);

  /// Whether all that a test takes that is made in front of loops is known, and cheap to compute, before `place`.
  static bool may_compute(const TrapTest& test, const llvm::Instruction& place, llvm::ScalarEvolution& evolution,
                          const llvm::DominatorTree& dominators);
  /// i1: one of `tests` fails.
  llvm::Value* leaves(llvm::IRBuilder<>& ir, llvm::ArrayRef<TrapTest> tests);

 private:
  llvm::Value* fails(llvm::IRBuilder<>& ir, const TrapTest& test);
  std::pair<llvm::Value*, llvm::Value*> source(llvm::IRBuilder<>& ir, llvm::Value& address, std::uint64_t bytes);
  llvm::Value* bound(llvm::Value& object, std::uint64_t bytes);
  llvm::Value* computed(llvm::IRBuilder<>& ir, const llvm::SCEV& value);

  llvm::SCEVExpander expander_;
  llvm::BasicBlock& entry_;
  std::map<std::pair<llvm::Value*, std::uint64_t>, llvm::Value*> bounds_;
};

}  // namespace skmd::compiler
