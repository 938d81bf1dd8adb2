// SPDX-License-Identifier: Apache-2.0
// What may trap in a kernel (cpu-driver/span_code.h), and what has to hold so that it does not.
//
// An item may leave at any place before the one that would trap: the code that goes on with it finds the trap there. So
// tests are made where they are cheap, and together (trap_points.h).
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace skmd::compiler {

/// One thing that has to hold before an instruction.
struct TrapTest {
  /// Of an access: what it may be in, arguments or variables of the program. Of several, the address says which
  /// (source_of()): there it has to be.
  llvm::SmallVector<llvm::Value*, 2> objects;
  std::uint64_t bytes = 0;             // that it accesses
  llvm::Value* address = nullptr;      // where …
  std::int64_t from = 0;               // … less so many bytes
  const llvm::SCEV* offset = nullptr;  // of `address`, in the only object, i64; null: it is not known
  llvm::Value* divisor = nullptr;      // not zero
  bool always = false;                 // the device never executes it
  bool may_be_null = false;            // `address`, which then is in none of the objects
  /// Instead of `address`, in front of loops: all of them, i64, if none of `guards` is zero; and of each of `narrow`,
  /// i64, that no bit from the second on is set.
  llvm::SmallVector<const llvm::SCEV*, 4> offsets;
  llvm::SmallVector<const llvm::SCEV*, 2> guards;
  llvm::SmallVector<std::pair<const llvm::SCEV*, unsigned>, 2> narrow;

  [[nodiscard]] bool hoisted() const { return !offsets.empty(); }
};

/// What was found in one instruction.
struct InstructionTests {
  llvm::SmallVector<TrapTest, 2> tests;
  std::string obstacle;  // why nothing can be said of it; "": all that it may do wrong is in `tests`
};

/// Leaves out what cannot fail. `evolution`: of the kernel, of which no pointer arithmetic promises to stay inside.
InstructionTests tests_of(llvm::Instruction& instruction, llvm::ScalarEvolution& evolution);

/// Whether nothing but an access of an argument's buffer or of local memory may fail.
bool only_buffers(const TrapTest& test);

/// What the address is a place of: an argument, a variable, a null pointer, a choice between such, or something else.
llvm::Value& source_of(llvm::Value& address);

/// Bytes of a variable of the program; 0 for an argument.
std::uint64_t bytes_of_object(const llvm::Value& object);

/// "line 7", or "" where lines are not known.
std::string line_of_trap(const llvm::Instruction& instruction);

}  // namespace skmd::compiler
