// SPDX-License-Identifier: Apache-2.0
// Which kernels have a guarded form (guarded_kernel.h). Errors are why one has none: a reason that statistics know, and
// behind ": " words.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

#include "partitioner/base/result.h"

namespace skmd::codegen {

domain::Error no_form(const std::string& why);

/// Of a kernel into which everything is inlined: an error where its item function does things in a way of span code.
domain::Status may_be_guarded(llvm::Function& kernel);

/// Of its item function with checks: an error where not all that it accesses is checked.
domain::Status is_guarded(llvm::Function& item);

}  // namespace skmd::codegen
