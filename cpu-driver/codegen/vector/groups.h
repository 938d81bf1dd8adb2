// SPDX-License-Identifier: Apache-2.0
// Accesses of neighbouring elements that lanes step over together, as the parts of a float4 are: one wide access.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/private_layout.h"
#include "cpu-driver/codegen/vector/shapes.h"

namespace skmd::codegen {

/// `members` are next to each other, lowest first, and step from lane to lane by as many elements as there are, so that
/// all lanes' elements are one piece of memory. They have one mask and may all happen where `place` does.
struct AccessGroup {
  llvm::SmallVector<Access, 4> members;
  const llvm::Instruction* place = nullptr;  // the first load, or the last store
};

class AccessGroups {
 public:
  AccessGroups(llvm::Function& function, const Shapes& shapes, const PrivateLayout& layout, unsigned lanes);

  /// Null if it is in no group.
  [[nodiscard]] const AccessGroup* of(const llvm::Instruction* access) const;

 private:
  struct Candidate {
    Access access;
    llvm::Value* base;
    std::int64_t offset;  // bytes from `base`
  };
  using Candidates = llvm::SmallVector<Candidate, 16>;

  bool may_join(const Access& access) const;
  bool alike(const Candidate& one, const Candidate& other) const;
  void scan(llvm::BasicBlock& block);
  void close(Candidates& candidates);
  void close_alike(llvm::ArrayRef<Candidate> alike);

  const Shapes& shapes_;
  const PrivateLayout& layout_;
  unsigned lanes_;
  llvm::SmallVector<AccessGroup, 8> groups_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> numbers_;
};

}  // namespace skmd::codegen
