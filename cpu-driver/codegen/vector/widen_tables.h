// SPDX-License-Identifier: Apache-2.0
// Loads from small tables as lookups (lookups.h).
#pragma once

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/vector/lane_values.h"
#include "cpu-driver/codegen/vector/markers.h"

namespace skmd::codegen {

/// Whether `access`, a load of a vector `type`, is of a byte in [base, base + 256) for each lane, where a lookup pays.
bool looks_up(const Access& access, llvm::Type* type, const LaneValues& values, Isa isa);

/// Makes that load a lookup. Precondition: looks_up().
llvm::Value* look_up(Builder& builder, LaneValues& values, const Access& access, llvm::Type* type);

}  // namespace skmd::codegen
