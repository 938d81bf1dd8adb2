// SPDX-License-Identifier: Apache-2.0
// The bitcode of the builtins, as prepare.py makes it.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace skmd::codegen {

/// Lives as long as the program.
llvm::StringRef builtins_bitcode();

}  // namespace skmd::codegen
