// SPDX-License-Identifier: Apache-2.0
// Where work-items leave a checked kernel on a device: before they would trap, never behind. The code that goes
// on with an item has the same place, behind which its own checks find the trap.
//
//   x = a[i]; y = b[i + 1]    →    if (i beyond a || i + 1 beyond b) leave; x = a[i]; y = b[i + 1]
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

#include <string>
#include <vector>

namespace skmd::compiler {

/// i64(i32 argument, i64 bytes): the offsets in the argument's buffer from which on so many bytes are not inside. In a
/// kernel's first block, until the kernel is given to a device.
inline constexpr llvm::StringLiteral kTrapBound = "skmd.trap.bound";

struct TrapPoint {
  llvm::Instruction* before = nullptr;
  llvm::Value* leaves = nullptr;  // i1: the item is to leave
  std::string place;              // "line 7"; "" where it is not known
};

struct TrapPoints {
  std::vector<TrapPoint> points;
  /// Nothing but accesses of arguments' buffers and local memory may trap. Also without points.
  bool only_buffers = false;
  std::string why_not, detail;  // as of YieldForm
};

/// Adds the tests to `kernel`, which is canonical; `entry`: its first block, which is run once. Control flow stays as
/// it is.
TrapPoints add_trap_tests(llvm::Function& kernel, llvm::BasicBlock& entry, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler
