// SPDX-License-Identifier: Apache-2.0
// Regions as lane groups run them (lane_groups.h): one item of several groups, on local memory in interleaved layout.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Whether make_interleaved may be given `region`: it accesses nothing but local memory, always `element` bytes on such
/// a boundary, through addresses that are only added to; and other memory at places that do not depend on the item,
/// which is once for a group where no two items race. It computes nothing that may
/// come out otherwise in a vector.
bool can_interleave(llvm::Function& region, unsigned arguments, unsigned element);

/// An item function of which neighbouring lanes are neighbouring groups, from the given one on: kLocalId is the lane,
/// kRow the item. Its local memory is in interleaved layout (transpose.h), at `groups` times the given offsets.
llvm::Function* make_interleaved(llvm::Function& region, unsigned arguments, unsigned groups, unsigned element);

}  // namespace skmd::codegen
