// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Instructions.h>

namespace skmd::codegen {

/// True if `cast` cannot be poison in any lane, because every lane makes an access that depends on it. Precondition:
/// `cast` is part of a prepared function, and all lanes exist.
///
/// Promises such as nsw are no proof of that by themselves: what was computed under a condition may have been moved
/// before it, promises and all, since poison without uses does no harm. Lane 0 may be such a lane.
bool has_to_be_defined(const llvm::CastInst& cast);

}  // namespace skmd::codegen
