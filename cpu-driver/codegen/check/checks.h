// SPDX-License-Identifier: Apache-2.0
// Checked kernels: the bounds of every access of global, constant and local memory are checked. An access outside is
// not executed, a load gives 0, and the launch's report says where (cpu-driver/span_code.h).
//
//   x = load p    →    if (p - b <= size - 4) x = load p; else { tell; x = 0; }
//
// The memory follows from the origin of the address: an argument, a program-scope variable, the local variables
// together. An address that may come from several has to be in one of them, one that comes from nowhere that is known
// (from memory, from an integer) in any buffer of the launch or program-scope variable. Private memory is not checked.
//
// Divisions by zero and calls of arm_terminate_kernel (cl_arm_controlled_kernel_termination) are told likewise.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// The function that failed checks call, void(ptr addrspace(2) frame, i64 site, i64 offset, i64 size, i64 x, i64 y,
/// i64 z), the last three the item's global id, until define_check_failed().
inline constexpr llvm::StringLiteral kCheckFailed = "skmd.check.failed";

/// The values of an item function that checks need.
struct CheckedItem {
  std::vector<llvm::Argument*> arguments;     // the kernel's, in their order
  llvm::Argument* frame = nullptr;            // ptr addrspace(2), to cpu::SpanFrame
  llvm::Argument* locals = nullptr;           // ptr addrspace(3), to the local variables
  std::uint64_t local_bytes = 0;              // of these
  std::array<llvm::Argument*, 3> first{};     // i64: the global id of the group's first item
  std::array<llvm::Argument*, 3> local_id{};  // i64
  std::string sites;                          // of other checks of the item, which were added before
};

/// All of them but local_bytes and sites, of an item function made from a kernel with `arguments` parameters.
CheckedItem checked_item(llvm::Function& item, unsigned arguments);

/// Checks all accesses of `item`, of which none is a memory transfer (llvm.memcpy) any more, and returns the text that
/// cpu::sites_symbol describes, parts.sites first. An error names an access that cannot be checked.
domain::Result<std::string> add_checks(llvm::Function& item, const CheckedItem& parts);

/// Checks all divisions of integers in `item`, which are not guarded yet (compiler/ir/guard_divisions.h), and makes
/// calls of arm_terminate_kernel tell. Returns parts.sites and theirs; parts.locals and local_bytes are not used.
std::string add_traps(llvm::Function& item, const CheckedItem& parts);

/// Defines kCheckFailed, if `module` has it.
void define_check_failed(llvm::Module& module);

}  // namespace skmd::codegen
