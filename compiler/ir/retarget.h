// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "partitioner/base/result.h"

namespace skmd::compiler {

/// Makes `module` one for `machine`: triple and data layout. An error if a type used for addresses would change its
/// size.
domain::Status retarget(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace skmd::compiler
