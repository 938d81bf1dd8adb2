// SPDX-License-Identifier: Apache-2.0
// The values of a masked function in its vector function.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/vector/lane_code.h"
#include "cpu-driver/codegen/vector/shapes.h"

namespace skmd::codegen {

/// A map from values of the masked function (the source) to values of the vector function. A value of linear shape has
/// a scalar, which is lane 0's; any other one has a vector; a checked one has both, and a check.
///
/// Needs the shapes of the source, the builder of the vector function's current block, and its first block, the
/// prologue. Gives values that may be used at the builder's place.
class LaneValues {
 public:
  /// All arguments outlive this.
  LaneValues(const Shapes& shapes, unsigned lanes, Builder& builder, llvm::BasicBlock& prologue);

  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] Shape shape(const llvm::Value* value) const { return shapes_[value]; }

  /// Lane 0's `value`. Precondition: it is a constant, metadata, or was given to set_scalar().
  [[nodiscard]] llvm::Value* scalar(llvm::Value* value) const;
  /// All lanes' `value`. Precondition: it is a constant, or was given to set_vector() or set_scalar(). A vector of a
  /// scalar is made right behind the scalar's definition, once.
  llvm::Value* vector(llvm::Value* value);
  /// All lanes' `mask`; null: every lane.
  llvm::Value* mask_vector(llvm::Value* mask);
  /// One lane's `value`. Precondition: as of vector().
  llvm::Value* lane(llvm::Value* value, unsigned lane);
  /// The condition, an i1, under which the scalar of a checked value tells of the other lanes; null: it always does.
  [[nodiscard]] llvm::Value* check_of(llvm::Value* value) const;

  void set_scalar(llvm::Value& value, llvm::Value* made) { scalars_[&value] = made; }
  void set_vector(llvm::Value& value, llvm::Value* made) { vectors_[&value] = made; }
  void set_check(llvm::Value& value, llvm::Value* made) { checks_[&value] = made; }

 private:
  void at_definition(llvm::Value* made);

  const Shapes& shapes_;
  const unsigned lanes_;
  Builder& builder_;
  llvm::BasicBlock& prologue_;
  Builder side_;  // behind definitions
  llvm::DenseMap<llvm::Value*, llvm::Value*> scalars_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> vectors_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> checks_;
};

/// `source`, an instruction of the masked function, once more at the builder's place, for lane 0: its operands are
/// their scalars. Which value it stands for is set by the caller.
llvm::Instruction* copy_scalar(Builder& builder, const LaneValues& values, llvm::Instruction& source);

}  // namespace skmd::codegen
