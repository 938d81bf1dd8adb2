// SPDX-License-Identifier: Apache-2.0
// Merge functions, the merge kernels of SKMD (TOCS 2015), section 3.1: a kernel whose global stores copy what another
// device stored in the same place, reduced to the computation of addresses and control flow.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/merge/merge_kernel.h"
#include "partitioner/traits/traits.h"

namespace skmd::compiler {

struct MergeFunctions {
  std::vector<MergeKernel> kernels;      // one per kernel of the program, in their order
  std::unique_ptr<llvm::Module> device;  // the same as merge kernels (compiler/client/merge_record.h)
  bool any() const;
};

/// Turns `module`, as analyse() has left it, into one that holds merge functions and nothing else.
MergeFunctions make_merge_functions(llvm::Module& module, const std::vector<domain::KernelTraits>& kernels);

/// What the driver gets: CompileAnswer::span_code and merge_ptx.
struct MergeCode {
  std::string spans;
  std::string ptx;
};

/// Generates the merge functions in child processes, so that a crash of a code generator costs that code only. Sets
/// KernelTraits::merge_function and merge_loads in `kernels`. Empty if no kernel of the program has a merge function,
/// or none could need one.
MergeCode merge_code(llvm::Module& module, std::vector<domain::KernelTraits>& kernels);

}  // namespace skmd::compiler
