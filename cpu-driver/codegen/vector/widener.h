// SPDX-License-Identifier: Apache-2.0
// Writes the vector function of a prepared masked function: its blocks, and for each instruction the part that knows
// its kind.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include "cpu-driver/codegen/vector/access_facts.h"
#include "cpu-driver/codegen/vector/diagnostics.h"
#include "cpu-driver/codegen/vector/groups.h"
#include "cpu-driver/codegen/vector/lane_storage.h"
#include "cpu-driver/codegen/vector/lane_values.h"
#include "cpu-driver/codegen/vector/private_layout.h"
#include "cpu-driver/codegen/vector/shapes.h"
#include "cpu-driver/codegen/vector/updates.h"
#include "cpu-driver/codegen/vector/widen.h"
#include "cpu-driver/codegen/vector/widen_calls.h"
#include "cpu-driver/codegen/vector/widen_gathers.h"
#include "cpu-driver/codegen/vector/widen_groups.h"
#include "cpu-driver/codegen/vector/widen_memory.h"
#include "cpu-driver/codegen/vector/widen_operations.h"
#include "cpu-driver/codegen/vector/widen_updates.h"

namespace skmd::codegen {

class Widener {
 public:
  /// `target` has no code yet and the parameters that widen.h names. All arguments outlive this.
  Widener(llvm::Function& source, llvm::Function& target, const Shapes& shapes, const PrivateLayout& layout,
          const llvm::DominatorTree& dominators, const WidenOptions& options);
  Widener(const Widener&) = delete;
  Widener& operator=(const Widener&) = delete;

  /// After an error the contents of `target` must not be used. Precondition: called once.
  domain::Status run();

 private:
  void make_parameters();
  domain::Status block(llvm::BasicBlock& source);
  domain::Status instruction(llvm::Instruction& source);
  bool done_elsewhere(const llvm::Instruction& source) const;
  domain::Status phi(llvm::PHINode& source);
  void fill_phis();
  domain::Status terminator(llvm::Instruction& source);
  void give_back(llvm::ReturnInst& source);
  [[nodiscard]] bool has_scalar(const llvm::Value& value) const { return values_.shape(&value).kind == Shape::linear; }

  llvm::Function& source_;
  llvm::Function& target_;
  const PrivateLayout& layout_;
  const bool full_;
  const AccessGroups groups_;
  const Updates updates_;
  llvm::BasicBlock& prologue_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> first_;  // of the target, for each of the source
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> last_;
  Builder builder_;  // at the end of the current block

  LaneValues values_;
  LaneStorage storage_;
  const AccessFacts facts_;
  const Remarks remarks_;
  OperationWidener operation_widener_;
  GatherWidener gather_widener_;
  MemoryWidener memory_widener_;
  GroupWidener group_widener_;
  UpdateWidener update_widener_;
  CallWidener call_widener_;
};

}  // namespace skmd::codegen
