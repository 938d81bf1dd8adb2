// SPDX-License-Identifier: Apache-2.0
// Buffers may lie where the application put them (CL_MEM_USE_HOST_PTR), and many have been allocated without a thought
// of what OpenCL's vectors want: malloc() knows nothing of 64 bytes.
#pragma once

#include <llvm/IR/Module.h>

namespace skmd::codegen {

/// Loads and stores of global and constant memory assume no more than what their elements are aligned to; atomic ones
/// stay. The processors' moves for both cost the same on aligned memory.
void trust_element_alignment(llvm::Module& module);

}  // namespace skmd::codegen
