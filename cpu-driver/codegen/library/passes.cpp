// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/passes.h"

namespace skmd::codegen {

void register_library_passes(llvm::PassBuilder&) {}

}  // namespace skmd::codegen
