// SPDX-License-Identifier: Apache-2.0
// A kernel in LLVM IR as OpenCL C text, which any vendor's compiler can build.
//
// Values are unsigned integers, with casts where an operation is signed: OpenCL C then has no overflow that it leaves
// undefined. Indexes alone are signed, as those of addresses inside of objects are. Each value that is used outside of
// one expression is a variable; blocks are labels with goto. Products and sums are in one expression only where the IR
// lets them be contracted (llvm.fmuladd): a kernel without such has
// `#pragma OPENCL FP_CONTRACT OFF`. Memory that the IR may access by other types than the program's is accessed by
// types with the attribute may_alias, and what is less aligned than its type by types with the attribute aligned; both
// are of Clang. Poison and undefined values are 0.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

#include "partitioner/base/result.h"

namespace skmd::compiler {

struct PrintedKernel {
  std::string text;  // of one kernel and what it needs; the same for the same IR
};

/// `kernel` under its own name, with its parameters in their order. An error says in words what has no text: the
/// instruction, the type or the function. Precondition: `kernel` returns nothing, calls declarations only, and is for
/// 64-bit addresses. The functions kOver, kStateHere, kStagesHere, kLinearHere and kItemsHere
/// (compiler/client/stoppable.h), kTellTrap and kBehindBarrier (compiler/client/trapping.h) are called and not defined.
domain::Result<PrintedKernel> print_opencl_c(const llvm::Function& kernel);

}  // namespace skmd::compiler
