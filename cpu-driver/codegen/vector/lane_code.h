// SPDX-License-Identifier: Apache-2.0
// Pieces of code over the lanes of vectors.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/TargetFolder.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace skmd::codegen {

/// Folds constants only: other folding would be wrong while phis lack operands.
using Builder = llvm::IRBuilder<llvm::TargetFolder>;

/// `type` once for each lane: a vector, or a structure of vectors; null for what has no such form.
llvm::Type* lanes_of(llvm::Type* type, unsigned lanes);

/// `scalar` in every lane. Its type has a form for lanes.
llvm::Value* splat(Builder& builder, llvm::Value* scalar, unsigned lanes);

/// first, first + stride, ...: integers, or pointers with a stride in bytes.
llvm::Value* steps(Builder& builder, llvm::Value* first, std::int64_t stride, unsigned lanes);

/// Lane l of a vector that starts with `first`.
llvm::Value* step(Builder& builder, llvm::Value* first, std::int64_t stride, unsigned lane);

/// Vectors of one type, one after the other, as one.
llvm::Value* joined(Builder& builder, llvm::ArrayRef<llvm::Value*> parts);

/// Vectors of one type lane by lane: lane 0 of each, lane 1 of each, ...
llvm::Value* interleaved(Builder& builder, llvm::ArrayRef<llvm::Value*> parts);

/// The bits of `mask`, a vector of i1, as an i32. Lanes that are poison are taken for some bit.
llvm::Value* mask_bits(Builder& builder, llvm::Value* mask);

/// The same of a mask that is set in every lane.
llvm::ConstantInt* all_mask_bits(Builder& builder, unsigned lanes);

/// Whether a bit is set, as an i1.
llvm::Value* any_lane(Builder& builder, llvm::Value* mask);

/// Emits a loop over the set bits, lowest first: `body` gets the lane as an i32. The builder continues behind the loop.
void for_each_lane(Builder& builder, llvm::Value* bits, llvm::function_ref<void(llvm::Value*)> body);

/// Emits a branch: the code of `body` runs only if `condition` holds. The builder continues behind it.
void if_true(Builder& builder, llvm::Value* condition, llvm::function_ref<void()> body);

/// What `fast` gives where `condition` holds; `slow` gives the same, and is right for any condition (is_shortcut).
llvm::Value* if_else(Builder& builder, llvm::Value* condition, llvm::function_ref<llvm::Value*()> fast,
                     llvm::function_ref<llvm::Value*()> slow);

/// A branch that if_else made. As long as nothing simplified the code since, its first successor is the fast one.
bool is_shortcut(const llvm::BranchInst& branch);

/// Before it everything that uses `value`, an instruction of `function` or what is given to it, may stand.
llvm::Instruction* behind(llvm::Value& value, llvm::Function& function);

/// What memory holds for `type`. Integers of any width come from LLVM's own passes (a counter of 26 bits, where a shift
/// drops the rest); in a vector they would lie bit to bit, so each gets the next power of two of bits, at least a byte.
llvm::Type* stored_type(llvm::Type* type);
llvm::Value* to_stored(Builder& builder, llvm::Value* value);
llvm::Value* from_stored(Builder& builder, llvm::Value* value, llvm::Type* type);

}  // namespace skmd::codegen
