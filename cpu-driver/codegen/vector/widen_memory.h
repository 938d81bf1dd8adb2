// SPDX-License-Identifier: Apache-2.0
// Loads and stores of lanes.
#pragma once

#include "cpu-driver/codegen/vector/access_facts.h"
#include "cpu-driver/codegen/vector/lane_storage.h"
#include "cpu-driver/codegen/vector/lane_values.h"
#include "cpu-driver/codegen/vector/widen_gathers.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// Needs the lanes' addresses and masks, and a place for lanes that do not run. Gives one access for all lanes where
/// they access one element or neighbouring ones; what else there is goes to the GatherWidener.
class MemoryWidener {
 public:
  /// All arguments outlive this.
  MemoryWidener(Builder& builder, LaneValues& values, LaneStorage& storage, const AccessFacts& facts,
                GatherWidener& gathers)
      : builder_(builder), values_(values), storage_(storage), facts_(facts), gathers_(gathers) {}

  /// A load's value is set. An error names what has no form for lanes.
  domain::Status widen(const Access& access);

 private:
  void load(const Access& access);
  llvm::Value* uniform_load(const Access& access);
  llvm::Value* contiguous_load(const Access& access, llvm::Type* type, bool reversed);
  void store(const Access& access);
  void uniform_store(const Access& access);
  void contiguous_store(const Access& access, llvm::Value* value, bool reversed);
  llvm::Value* first_address(const Access& access, llvm::Type* type, bool reversed);

  Builder& builder_;
  LaneValues& values_;
  LaneStorage& storage_;
  const AccessFacts& facts_;
  GatherWidener& gathers_;
};

}  // namespace skmd::codegen
