// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace skmd::codegen {

/// skmd-pack-members, with an instruction set as in skmd-pack-members<avx512vbmi>, and skmd-join-stores.
void register_packs_passes(llvm::PassBuilder& builder);

}  // namespace skmd::codegen
