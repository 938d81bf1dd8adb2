// SPDX-License-Identifier: Apache-2.0
// ++counters[i]: small elements that are loaded, changed and stored where they were. A processor has neither gathers
// nor scatters for these, but does all three for one lane at once.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "cpu-driver/codegen/vector/groups.h"
#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/shapes.h"

namespace skmd::codegen {

/// What is done to the element before it is stored.
struct Update {
  llvm::BinaryOperator* operation = nullptr;
  llvm::Instruction* load = nullptr;  // an operand of `operation`
};

/// The updates of a masked function.
class Updates {
 public:
  /// The arguments are only looked at here.
  Updates(llvm::Function& function, const Shapes& shapes, const AccessGroups& groups);

  /// Null: `store` ends no update.
  [[nodiscard]] const Update* of(const llvm::Instruction& store) const;
  /// Whether it is an update's load or operation, which are done where the store is.
  [[nodiscard]] bool inside(const llvm::Instruction& instruction) const { return inside_.contains(&instruction); }

 private:
  void add(const Access& store, const Shapes& shapes, const AccessGroups& groups);

  llvm::DenseMap<const llvm::Instruction*, Update> updates_;  // by their stores
  llvm::SmallPtrSet<const llvm::Instruction*, 8> inside_;
};

}  // namespace skmd::codegen
