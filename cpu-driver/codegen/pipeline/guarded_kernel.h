// SPDX-License-Identifier: Apache-2.0
// Checked kernels for drivers whose launches we do not run group by group, in which no work-item leaves: each access is
// compared with its memory, as in checked span code, and one outside is told and does not happen
// (compiler/client/trapping.h). So kernels may have barriers, and local memory that all items of a group see.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <string>

#include "partitioner/base/result.h"

namespace skmd::codegen {

struct GuardedKernel {
  llvm::Function* kernel = nullptr;  // a new one, with control as its last parameter, which can be printed
  std::string sites;                 // cpu::sites_symbol, as that of checked span code
};

/// Of the kernel `name` of `module`, which prepare_program() has prepared. The kernel stays as it is. An error is why
/// there is none: a reason that statistics know, and behind ": " words.
domain::Result<GuardedKernel> make_guarded_kernel(llvm::Module& module, const std::string& name,
                                                  llvm::FunctionAnalysisManager& analyses);

/// OpenCL C that defines compiler::kTellTrap and compiler::kBehindBarrier, in front of such kernels.
extern const char* const kGuardText;

}  // namespace skmd::codegen
