// SPDX-License-Identifier: Apache-2.0
// Accesses of neighbouring elements, as the parts of a float4 are: one access instead of one for each.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include "cpu-driver/codegen/vector/addresses.h"
#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/private_layout.h"
#include "cpu-driver/codegen/vector/shapes.h"

namespace skmd::codegen {

/// `members` are next to each other, lowest first. They have one mask and may all happen where `place` does.
///   in one piece: they step from lane to lane by as many elements as there are, so that all lanes' elements are one
///   piece of memory; if that is checked, each member's address has the same condition.
///   otherwise: a lane's elements are one word of 2, 4 or 8 bytes, somewhere.
struct AccessGroup {
  llvm::SmallVector<Access, 4> members;
  bool in_one_piece = false;
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
    Address address;
  };
  using Candidates = llvm::SmallVector<Candidate, 16>;

  bool may_join(const Access& access) const;
  bool steps_as_piece(const Access& access) const;
  bool alike(const Candidate& one, const Candidate& other) const;
  TakeApart depth(const Access& access) const;
  unsigned space(const llvm::Value& pointer) const;
  bool may_meet(const Candidate& one, const Candidate& other) const;
  bool any_meets(llvm::ArrayRef<Candidate> some, const Candidate& other) const;
  void scan(llvm::BasicBlock& block);
  void close(Candidates& candidates);
  void close_alike(llvm::ArrayRef<Candidate> alike);
  std::size_t next_group(llvm::ArrayRef<Candidate> alike) const;
  void add_group(llvm::ArrayRef<Candidate> members);

  const Shapes& shapes_;
  const PrivateLayout& layout_;
  unsigned lanes_;
  llvm::SmallVector<AccessGroup, 8> groups_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> numbers_;
};

}  // namespace skmd::codegen
