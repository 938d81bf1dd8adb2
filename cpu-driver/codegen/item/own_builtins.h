// SPDX-License-Identifier: Apache-2.0
// Builtins that are expanded in a function over a span: queries of ids and sizes, barriers, asynchronous copies.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// The function that stands for every barrier: void(). LLVM moves no access across its calls.
inline constexpr llvm::StringLiteral kBarrier = "skmd.barrier";

/// Ids and sizes from parameters (item.h), barriers to kBarrier, asynchronous copies to loops of which each item does
/// its part. `arguments`: how many the kernel has. An error names a builtin that generated code does not do.
domain::Status expand_own_builtins(llvm::Function& item, unsigned arguments);

/// Transfers of constant size to loads and stores: there is no memcpy to call.
domain::Status expand_transfers(llvm::Function& item);

}  // namespace skmd::codegen
