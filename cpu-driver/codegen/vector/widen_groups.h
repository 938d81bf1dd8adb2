// SPDX-License-Identifier: Apache-2.0
// Groups of accesses (groups.h) as one wide access, with shuffles that sort elements by member.
#pragma once

#include "cpu-driver/codegen/vector/access_facts.h"
#include "cpu-driver/codegen/vector/diagnostics.h"
#include "cpu-driver/codegen/vector/groups.h"
#include "cpu-driver/codegen/vector/lane_values.h"
#include "cpu-driver/codegen/vector/widen_gathers.h"

namespace skmd::codegen {

/// Needs the members' addresses, masks and stored values. Gives all members' accesses at the group's place.
class GroupWidener {
 public:
  /// References outlive this. `full`: all lanes' items exist (WidenOptions).
  GroupWidener(Builder& builder, LaneValues& values, const AccessFacts& facts, GatherWidener& gathers,
               const Remarks& remarks, bool full)
      : builder_(builder), values_(values), facts_(facts), gathers_(gathers), remarks_(remarks), full_(full) {}

  /// Loads' values are set.
  void widen(const AccessGroup& group);

 private:
  void load(const AccessGroup& group);
  llvm::Value* load_piece(const AccessGroup& group);
  llvm::Value* load_words(const AccessGroup& group);
  void store(const AccessGroup& group);
  void store_piece(const AccessGroup& group, llvm::Value* wide);
  void store_words(const AccessGroup& group, llvm::Value* wide);
  bool worth_a_branch(const AccessGroup& group) const;
  llvm::Value* every_lane(llvm::Value* mask);
  llvm::Value* group_mask(const AccessGroup& group);
  llvm::Value* part(llvm::Value* wide, unsigned member, unsigned count);

  Builder& builder_;
  LaneValues& values_;
  const AccessFacts& facts_;
  GatherWidener& gathers_;
  const Remarks& remarks_;
  const bool full_;
};

}  // namespace skmd::codegen
