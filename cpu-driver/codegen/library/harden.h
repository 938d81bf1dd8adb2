// SPDX-License-Identifier: Apache-2.0
// Makes library functions safe on a CPU that were written for GPUs.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Arguments of lanes without a work-item may be poison, which must not become an address.
void freeze_arguments(llvm::Function& function);

/// Functions load from tables at an index computed from any argument, and decide afterwards whether to use the result:
/// an index outside of the table is replaced by that of its last element.
void stay_inside_tables(llvm::Function& function);

}  // namespace skmd::codegen
