// SPDX-License-Identifier: Apache-2.0
// Groups as lanes: neighbouring work-groups side by side, one in each lane of a vector.
//
// In trees over local memory, such as scans, neighbouring items touch places far from each other, and most steps have
// fewer items than vectors have lanes. Neighbouring groups do the same at the same places of their own memory: with the
// elements of all groups next to each other, every access is one whole vector, and nothing is masked.
//
//   for the items i of a group:            for the items i of 16 groups:
//     if (i < pairs)                   →     if (i < pairs)
//       tree[s * i] += tree[s * i + d]         tree[s * i][0..15] += tree[s * i + d][0..15]
//
// Regions that touch large memory run group by group, on a group's memory in one piece; between these and the others,
// all of it is transposed (transpose.h).
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <string>
#include <vector>

#include "cpu-driver/codegen/groups/group.h"
#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/item/regions.h"

namespace skmd::codegen {

struct LaneGroups {
  unsigned groups = 0;   // side by side, a power of two; 0: none
  unsigned element = 0;  // bytes of what the regions below access in local memory: 4 or 8
  unsigned lanes = 0;    // of such elements in a register
  /// As Regions::regions: the code of one item, `kRow`, of `groups` groups from the given one on, with local memory in
  /// interleaved layout (transpose.h). Null: that region runs group by group.
  std::vector<llvm::Function*> regions;
};

/// For regions that have been made vectors of (`code`), where it is right and expected to pay. `arguments`: how many
/// the kernel has. What was done goes to `remarks`.
LaneGroups make_lane_groups(const Regions& regions, const GroupCode& code, unsigned arguments, Isa isa,
                            llvm::FunctionAnalysisManager& analyses, std::vector<std::string>& remarks);

/// Afterwards there are none.
void drop_lane_groups(LaneGroups& lanes, llvm::FunctionAnalysisManager& analyses);

/// A cpu::KernelFunction `symbol` for launches with memory for it (SpanFrame::lane_groups): as many groups side by side
/// as there are in a row, the rest by `single`.
llvm::Function* make_lane_group_function(const llvm::Function& kernel, const std::string& symbol,
                                         const Regions& regions, const GroupCode& code, const LaneGroups& lanes,
                                         llvm::Function& single);

}  // namespace skmd::codegen
