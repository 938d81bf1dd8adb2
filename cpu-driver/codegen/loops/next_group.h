// SPDX-License-Identifier: Apache-2.0
// Prefetches memory that the next work-group reads.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// `vectors`: several vectors of a row (rows.h) in a loop that only reads global memory. A group reads there in columns
/// with jumps between, or less than makes processors fetch ahead. Before each load of which it can be told how much
/// further the next group of the row of groups reads, that is prefetched, once for each cache line: the thread goes on
/// with that group. Returns for how many loads. `arguments`: how many the kernel has.
unsigned prefetch_next_group(llvm::Function& vectors, unsigned arguments);

}  // namespace skmd::codegen
