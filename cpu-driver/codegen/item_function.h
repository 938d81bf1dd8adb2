// SPDX-License-Identifier: Apache-2.0
// The two forms of code at the interfaces between the rooms of the code generator.
//
// Item function (library, pipeline -> masks): the code of one work-item between two barriers.
//   - attribute kItem; one parameter with attribute kLane, an integer: the value that neighbouring work-items differ
//     in, by 1 from lane to lane. Every other parameter has the same value in all lanes (it is uniform).
//   - void, or an integer that is the same for all items that run: where to go on after the barrier.
//   - no call but intrinsics, math builtins under their mangled names for scalars, and functions that are to be called
//     item by item (printf); no barrier, switch, invoke or indirect branch; reducible; loops in simplified, closed
//     form; one return; allocas of constant size in the entry block.
// - attribute kFewQuestions, where there is one: code under a divergent condition is mostly run by some lane.
//   - buffers are pointers of address space 1, constant memory 2, local memory 3, private 0 or 4; global, local and
//     private memory never overlap.
//
// Masked form (masks -> vector): the same function, of which every lane runs every instruction.
//   - attribute kMasked; one more parameter, the last, i1 with attribute kLive: whether this lane's item exists. Lanes
//     whose item does not exist have an effect nowhere. At least one lane's item does.
//   - conditional branches decide by uniform values only: constants, uniform parameters, what follows from them, loads
//     from uniform places and results of `i1 @skmd.any(i1)`: whether a lane says true.
//   - no load or store that could fault or be seen, but `T @skmd.load.SUFFIX(ptr align A, i1 mask)` and
//     `void @skmd.store.SUFFIX(T, ptr align A, i1 mask)`, with the metadata of the access that they stand for. Accesses
//     of private variables are ordinary ones where that is right. A load gives poison in lanes whose mask is false.
//   - anything that must run lane by lane (atomics, volatile accesses, printf, memcpy) is `T
//   @skmd.each.N(operands...)`,
// an internal function with the original instruction, called with the operand bundle kMaskBundle(i1 mask); lanes run in
// order, and results are divergent even for uniform operands. Fences stay.
// - values of lanes without an item may be poison, which decides no branch; divisions are defined for any
// operands. nsw, nuw, inbounds and similar flags are removed from instructions under a divergent mask, unless they are
// uniform.
// - calls of math builtins carry the bundle as well: results of lanes outside the mask are not used.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>

namespace skmd::codegen {

inline constexpr llvm::StringLiteral kItem = "skmd-item";
inline constexpr llvm::StringLiteral kLane = "skmd-lane";
inline constexpr llvm::StringLiteral kFewQuestions = "skmd-few-questions";
inline constexpr llvm::StringLiteral kMasked = "skmd-masked";
inline constexpr llvm::StringLiteral kLive = "skmd-live";

inline constexpr llvm::StringLiteral kAny = "skmd.any";
inline constexpr llvm::StringLiteral kLoadPrefix = "skmd.load.";
inline constexpr llvm::StringLiteral kStorePrefix = "skmd.store.";
inline constexpr llvm::StringLiteral kEachPrefix = "skmd.each.";
inline constexpr llvm::StringLiteral kMaskBundle = "skmd.mask";

/// The parameter with `attribute`; null if there is none.
inline llvm::Argument* argument_with(llvm::Function& function, llvm::StringRef attribute) {
  for (llvm::Argument& argument : function.args())
    if (function.getAttributes().hasParamAttr(argument.getArgNo(), attribute)) return &argument;
  return nullptr;
}

}  // namespace skmd::codegen
