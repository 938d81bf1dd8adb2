// SPDX-License-Identifier: Apache-2.0
// Merge functions (SKMD, TOCS 2015, section 4.2): a kernel whose global stores copy what another device stored in the
// same place, and of whose computation nothing is left but what decides addresses and control.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/merge/merge_kernel.h"
#include "partitioner/traits.h"

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

/// Runs in processes of their own, so that whatever goes wrong in a code generator costs its code only. Fills in
/// `kernels`. Nothing, if no kernel of the program has a merge function, or none could need one.
MergeCode merge_code(llvm::Module& module, std::vector<domain::KernelTraits>& kernels);

}  // namespace skmd::compiler
