// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Instructions.h>

namespace skmd::codegen {

/// Whether no item may get poison from `cast` where it runs, because an access needs it that every lane makes. `cast`
/// is part of a prepared function for lanes that all exist.
///
/// Promises such as nsw are no proof of that by themselves: what was computed under a condition may have been moved
/// before it, promises and all, since poison that nobody uses does no harm. Lane 0 may be such a lane.
bool has_to_be_defined(const llvm::CastInst& cast);

}  // namespace skmd::codegen
