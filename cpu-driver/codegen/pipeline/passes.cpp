// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/passes.h"

namespace skmd::codegen {

void register_pipeline_passes(llvm::PassBuilder&) {}

}  // namespace skmd::codegen
