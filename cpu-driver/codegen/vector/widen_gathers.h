// SPDX-License-Identifier: Apache-2.0
// Accesses of which it is not known that the lanes' elements are next to each other.
#pragma once

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/vector/access_facts.h"
#include "cpu-driver/codegen/vector/diagnostics.h"
#include "cpu-driver/codegen/vector/lane_storage.h"
#include "cpu-driver/codegen/vector/lane_values.h"

namespace skmd::codegen {

/// Needs the lanes' addresses and masks, and a place for lanes that do not run. Gives gathers and scatters, lookups in
/// small tables, or an access for each lane, with a remark. Which value a load stands for is set by the caller.
class GatherWidener {
 public:
  /// References outlive this. `apart`: accesses of local memory that are always made one by one are counted there;
  /// null: they are not counted.
  GatherWidener(Builder& builder, LaneValues& values, LaneStorage& storage, const AccessFacts& facts,
                const Remarks& remarks, Isa isa, unsigned* apart)
      : builder_(builder),
        values_(values),
        storage_(storage),
        facts_(facts),
        remarks_(remarks),
        isa_(isa),
        apart_(apart) {}

  /// A load and a store where nothing is known of the addresses. `type` is the vector that memory holds (stored_type),
  /// as is the type of `value`.
  llvm::Value* load(const Access& access, llvm::Type* type);
  void store(const Access& access, llvm::Value* value);

  /// The same where the elements are next to each other under a condition, for where it does not hold.
  llvm::Value* gather(const Access& access, llvm::Type* type);
  void scatter(const Access& access, llvm::Value* value);

  /// The same at `delta` bytes behind the addresses of `access`, without a remark. `align` holds there.
  llvm::Value* gather_at(const Access& access, llvm::Align align, llvm::Type* type, std::int64_t delta);
  void scatter_at(const Access& access, llvm::Align align, llvm::Value* value, std::int64_t delta);

 private:
  void count_apart(const Access& access) const;
  bool gathers_at_once(const Access& access, llvm::Type* type) const;
  bool gathers_words(const Access& access, llvm::Align align, llvm::Type* type) const;
  llvm::Value* gather_words(const Access& access, llvm::Type* type, std::int64_t delta);
  llvm::Value* gather_lanes(const Access& access, llvm::Align align, llvm::Type* type, std::int64_t delta);
  llvm::Value* addresses(const Access& access, std::int64_t delta);

  Builder& builder_;
  LaneValues& values_;
  LaneStorage& storage_;
  const AccessFacts& facts_;
  const Remarks& remarks_;
  const Isa isa_;
  unsigned* const apart_;
};

}  // namespace skmd::codegen
