// SPDX-License-Identifier: Apache-2.0
// Masked accesses of memory that only the running thread uses, as whole ones.
#pragma once

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/vector/lower_masked.h"

namespace skmd::codegen {

/// Replaces `access`, what masked_access() finds in `instruction`, by whole vectors: a store writes back what it reads
/// in lanes that are not set, a load reads them, too. Only of memory that no other thread uses: stack memory, if the
/// whole vector lies in it, and a group's own memory, which has room around it (kReadAroundScratch) for the lanes
/// beside one that is set; where none may be, a branch skips it. False, and nothing is changed, for other memory, and
/// where masks cost less than that on `isa`. The caller erases `instruction`.
bool access_whole(llvm::Instruction& instruction, const MaskedAccess& access, Isa isa);

}  // namespace skmd::codegen
