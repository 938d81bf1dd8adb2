// SPDX-License-Identifier: Apache-2.0
// From LLVM IR for a device to PTX, the assembly text that NVIDIA's drivers take as a program's binary.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "partitioner/base/result.h"

namespace skmd::compiler {

/// The text of a module of kernels (device.h), for every GPU and driver of the last ten years. An error if a type used
/// for addresses has another size there.
domain::Result<std::string> ptx_text(llvm::Module& module);

}  // namespace skmd::compiler
