// SPDX-License-Identifier: Apache-2.0
// Regions to vectors, where that works.
#pragma once

#include <llvm/IR/PassManager.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu-driver/codegen/groups/group.h"
#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/item/regions.h"

namespace skmd::codegen {

/// Ids of a launch stay below this in the version of a kernel that has vectors: sums of two or four of them are
/// positive 32-bit numbers, and neighbours' addresses are then neighbours.
inline constexpr std::uint64_t kIdLimit = std::uint64_t{1} << 29;

/// Tells LLVM so. `arguments`: how many the kernel has; `local`: the local size that it demands, or zeros.
void limit_ids(llvm::Function& item, unsigned arguments, const std::array<std::uint64_t, 3>& local);

/// How many lanes suit `item`, of whose group each row has `row` items; 0: any number.
unsigned best_width(llvm::Function& item, Isa isa, std::uint64_t row);

/// Code of every region: `width` lanes at once, or item by item where `remarks` says why.
GroupCode vectorise(const Regions& regions, unsigned width, Isa isa, llvm::FunctionAnalysisManager& analyses,
                    std::vector<std::string>& remarks);

/// Adds `found` to `remarks`: the same for each of a hundred accesses is one remark.
void add_counted(const std::vector<std::string>& found, std::vector<std::string>& remarks);

}  // namespace skmd::codegen
