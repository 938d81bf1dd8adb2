// SPDX-License-Identifier: Apache-2.0
// Updates of elements (updates.h), lane by lane.
#pragma once

#include "cpu-driver/codegen/vector/access_facts.h"
#include "cpu-driver/codegen/vector/addresses.h"
#include "cpu-driver/codegen/vector/diagnostics.h"
#include "cpu-driver/codegen/vector/lane_storage.h"
#include "cpu-driver/codegen/vector/lane_values.h"
#include "cpu-driver/codegen/vector/updates.h"

namespace skmd::codegen {

/// Needs the lanes' addresses, masks and operands, and memory for what tells addresses. Gives a load, an operation and
/// a store for each lane, in the lanes' order.
class UpdateWidener {
 public:
  /// All arguments outlive this.
  UpdateWidener(Builder& builder, LaneValues& values, LaneStorage& storage, const AccessFacts& facts,
                const Remarks& remarks)
      : builder_(builder), values_(values), storage_(storage), facts_(facts), remarks_(remarks) {}

  /// `store` is the one that Updates has `update` of.
  void widen(const Access& store, const Update& update);

 private:
  void lane(const Access& store, const Update& update, llvm::Value* pointer, unsigned at);
  llvm::Value* place_of_lane(const Address& address, llvm::AllocaInst* numbers, unsigned at);

  Builder& builder_;
  LaneValues& values_;
  LaneStorage& storage_;
  const AccessFacts& facts_;
  const Remarks& remarks_;
};

}  // namespace skmd::codegen
