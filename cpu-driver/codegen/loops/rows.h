// SPDX-License-Identifier: Apache-2.0
// Runs several rows of a group, or several vectors of a row, at once through a region.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include <cstdint>

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/loops/loops_constants.h"

namespace skmd::codegen {

/// How many rows (1: only one) should go through the loops of `full` side by side. More than one where its branches are
/// the same for all rows, where nothing has to stay in order but accesses of one row, and where what loops carry fits
/// into the registers. Then sums of one row need not wait for each other, and rows share what they all read.
/// `full`: a vector of items (RegionCode); `arguments`: how many the kernel has.
unsigned rows_at_once(llvm::Function& full, unsigned arguments, Isa isa);

/// A copy of `full` for the row that it is given and the `rows` - 1 after that. `row_items`: from kRow of one row to
/// that of the next.
llvm::Function* make_rows(llvm::Function& full, unsigned arguments, unsigned rows, std::uint64_t row_items);

/// Whether there are loops, and all of them do nothing in memory but read whole vectors of global memory, or lanes that
/// turn out to be no neighbours.
bool only_streams(llvm::Function& full);

/// Likewise, how many vectors of a row, most first, and a copy of `full` for the one of `width` items that it is given
/// and the `vectors` - 1 behind it. Where loops do nothing but read global memory in order, also
/// tuning::kStreamedVectors. Where they carry no vectors, as many as fill a cache line of which they store one.
llvm::SmallVector<unsigned, 2> vectors_at_once(llvm::Function& full, unsigned arguments, Isa isa);
llvm::Function* make_vectors_of_row(llvm::Function& full, unsigned arguments, unsigned vectors, unsigned width);

}  // namespace skmd::codegen
