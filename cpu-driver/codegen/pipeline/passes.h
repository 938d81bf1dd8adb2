// SPDX-License-Identifier: Apache-2.0
// The passes of this room, by name, for skmd-opt and tests.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace skmd::codegen {

void register_pipeline_passes(llvm::PassBuilder& builder);

}  // namespace skmd::codegen
