// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/passes.h"

namespace skmd::codegen {

void register_vector_passes(llvm::PassBuilder&) {}

}  // namespace skmd::codegen
