// SPDX-License-Identifier: Apache-2.0
// Merge functions as kernels of an NVIDIA GPU, by compiler/client/merge_record.h: one work-item of the launch each.
#pragma once

#include <llvm/IR/Function.h>

#include "partitioner/traits/traits.h"

namespace skmd::compiler {

/// Functions for devices begin so, until they are alone in their module.
inline constexpr char kDevicePrefix[] = "skmd.device.";

/// A merge kernel from `kernel`, which is left as it is. Precondition: judge() found no obstacle. Loads outside their
/// argument's bytes give zeros, stores outside are left out. Null: it has too many parameters.
llvm::Function* make_device_function(llvm::Function& kernel, const domain::KernelTraits& traits);

}  // namespace skmd::compiler
