// SPDX-License-Identifier: Apache-2.0
// Buffers may be at addresses of the application's choice (CL_MEM_USE_HOST_PTR), which are often not aligned for
// OpenCL's vectors: malloc() aligns to 16 bytes.
#pragma once

#include <llvm/IR/Module.h>

namespace skmd::codegen {

/// Loads and stores of global and constant memory assume no more than what their elements are aligned to; atomic ones
/// stay. The processors' moves for both cost the same on aligned memory.
void trust_element_alignment(llvm::Module& module);

}  // namespace skmd::codegen
