// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/passes.h"

namespace skmd::codegen {

void register_masks_passes(llvm::PassBuilder&) {}

}  // namespace skmd::codegen
