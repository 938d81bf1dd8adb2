// SPDX-License-Identifier: Apache-2.0
// What makes the library's functions harmless where their authors counted on a GPU.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// What a lane without a work-item passes may be poison, which must not become an address.
void freeze_arguments(llvm::Function& function);

/// Functions look into tables at places computed from any argument, and choose afterwards whether the table says
/// anything about it: what lies outside of a table is read at its last element.
void stay_inside_tables(llvm::Function& function);

}  // namespace skmd::codegen
