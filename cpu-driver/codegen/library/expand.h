// SPDX-License-Identifier: Apache-2.0
// Single calls of builtins as instructions. Each function gives what the call's uses are to be (null for a call without
// a result), or nothing if the call is not one of its kind. The call itself stays for the caller to erase.
#pragma once

#include <llvm/IR/Instructions.h>

#include <optional>

#include "cpu-driver/codegen/library/math_names.h"

namespace skmd::codegen {

using Expansion = std::optional<llvm::Value*>;

/// vloadN, vstoreN, vload_half, vstore_half and their relatives, prefetch.
Expansion expand_memory(llvm::CallInst& call, const SplitName& name);

/// atomic_, atom_, the functions of C11's <stdatomic.h>, and fences.
Expansion expand_atomic(llvm::CallInst& call, const SplitName& name);

/// Math functions of vectors, as calls for each element, but for what `keep_vectors` and the library do as vectors;
/// those with a second result, as calls with a variable of their own for it; any and all.
Expansion expand_math(llvm::CallInst& call, const SplitName& name, bool keep_vectors);

/// expand_builtins of library.h; `keep_vectors`: the vectors' functions are to be linked, not taken apart.
void expand_builtins(llvm::Module& module, bool keep_vectors);

}  // namespace skmd::codegen
