// SPDX-License-Identifier: Apache-2.0
// The state of a group that was stopped: words of 32 bits, in this order:
//   - `group_words` words that the group has once;
//   - `item_words` times one word of each item, neighbours adjacent: word w of item i is at group_words + w * items +
//   i.
// The first word of each item, or the first two of the group where all items leave together, are the point: 0 where the
// item has not begun, kPointDone where it has ended, otherwise the number of a yield point from 1. Of the group's, the
// kernel reads the first and writes the second, so that no item sees what another has written in the same run. Behind
// them are the values that are live there, in the order of the code: numbers of less than 32 bits are extended by
// zeros, those of 64 bits take two words, the lower half first; vectors are their elements; a pointer is its distance
// in bytes from the argument or variable that it belongs to, in two words; a private variable is its bytes.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/yield/uniformity.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

/// One value that is kept.
struct Kept {
  llvm::Instruction* value = nullptr;  // an AllocaInst: its contents
  llvm::Value* object = nullptr;       // of pointers: what they point into; an argument, variable or alloca
  bool once = false;                   // for the group
  unsigned word = 0;                   // number of the first word, among those of the group or of each item
  unsigned words = 0;
};

/// All that is kept at one point.
struct PointSchema {
  std::vector<Kept> kept;
  unsigned item_words = 0;   // points included
  unsigned group_words = 0;  // points included
};

/// Lays out `values` and `variables`. An error is a reason of YieldForm::why_not.
domain::Result<PointSchema> lay_out(llvm::ArrayRef<llvm::Instruction*> values,
                                    llvm::ArrayRef<llvm::AllocaInst*> variables, bool together,
                                    const KernelUniformity& uniformity);

/// "acc (float)", for people.
std::string describe(const Kept& kept);

/// Equal for kernels whose states can be exchanged: `kernel`, canonical, with these points.
std::uint64_t schema_number(const llvm::Function& kernel, const std::vector<PointSchema>& points);

}  // namespace skmd::compiler
