// SPDX-License-Identifier: Apache-2.0
// Kernels as OpenCL C text, for people and tests (compiler/opencl_c).
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/tool/kernel_code.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

/// The text of each kernel, in the form that `settings.yields` asks for; the kernels without text, and why, are added
/// to `complaints`. Changes `module`, which Clang made.
domain::Result<std::string> opencl_c_text(llvm::Module& module, const std::vector<std::string>& kernels,
                                          const CodeSettings& settings, std::string& complaints);

}  // namespace skmd::compiler
