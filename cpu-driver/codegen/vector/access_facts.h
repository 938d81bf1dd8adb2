// SPDX-License-Identifier: Apache-2.0
// What is known of the accesses of a masked function before code is made for them.
#pragma once

#include <llvm/IR/Dominators.h>

#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/private_layout.h"
#include "cpu-driver/codegen/vector/shapes.h"

namespace skmd::codegen {

/// Needs the analyses of the masked function; makes no code and changes nothing.
class AccessFacts {
 public:
  /// All arguments outlive this; `dominators` are those of the masked function.
  AccessFacts(const Shapes& shapes, const PrivateLayout& layout, const llvm::DominatorTree& dominators, unsigned lanes)
      : shapes_(shapes), layout_(layout), dominators_(dominators), lanes_(lanes) {}

  /// 1 if the lanes' elements are next to each other, -1 if they are so backwards, 0 if neither is known.
  [[nodiscard]] int direction(const Access& access) const;
  /// Whether it is of an interleaved private variable.
  [[nodiscard]] bool interleaved(const Access& access) const { return layout_.interleaved(access.pointer); }
  /// Of each lane's element.
  [[nodiscard]] llvm::Align lane_align(const Access& access) const;
  /// Of the first of all lanes' elements, where these are next to each other.
  [[nodiscard]] llvm::Align piece_align(const Access& access) const;
  /// Whether some lane makes the access wherever code for it runs.
  [[nodiscard]] bool in_some_lane(const Access& access) const;
  /// Whether what lanes that do not run would load can be read as well, if the lanes' elements are next to each other.
  [[nodiscard]] bool reads_around(const Access& access) const;

 private:
  const Shapes& shapes_;
  const PrivateLayout& layout_;
  const llvm::DominatorTree& dominators_;
  const unsigned lanes_;
};

/// Gives `made`, code for `source`, what is known of where the bytes come from. The rest of the metadata was true of
/// lanes that ran.
void keep_metadata(const llvm::Instruction& source, llvm::Value* made);

}  // namespace skmd::codegen
