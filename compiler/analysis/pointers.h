// SPDX-License-Identifier: Apache-2.0
// Where a pointer may point: to which kernel argument, and how far into it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include <llvm/IR/GlobalVariable.h>

#include <vector>

#include "compiler/analysis/expressions.h"

namespace skmd::compiler {

struct PointerTarget {
  enum class Base : std::uint8_t {
    argument,  // a __global or __constant pointer argument
    own,       // private or local memory, program-scope constants, null: no buffer
    program,   // a mutable variable at program scope
    unknown,   // from memory, from an integer, from a call
  };
  Base base = Base::unknown;
  unsigned argument = 0;
  domain::NodeId offset = domain::kNoNode;  // bytes, 64 bits; kNoNode: anywhere
};

using PointerTargets = llvm::SmallVector<PointerTarget, 2>;

class Pointers {
 public:
  explicit Pointers(Expressions& expressions) : expressions_(expressions) {}
  /// Of local memory instead of buffers: Base::argument is a local argument or, with numbers from `first_variable` on,
  /// a local variable, each at its place in `variables`, to which those are added that pointers point to; Base::own is
  /// all other memory that is known.
  Pointers(Expressions& expressions, unsigned first_variable, std::vector<const llvm::GlobalVariable*>& variables)
      : expressions_(expressions), first_variable_(first_variable), variables_(&variables) {}

  /// All that `pointer` may point to. More than one place means that it is not known here which.
  PointerTargets of(llvm::Value* pointer);

 private:
  PointerTargets found(llvm::Value* pointer);
  PointerTargets of_argument(const llvm::Argument& argument);
  PointerTargets of_global(const llvm::GlobalVariable& variable);
  PointerTargets shifted(llvm::GEPOperator& address);
  PointerTargets selected(llvm::SelectInst& select);
  PointerTargets merged(llvm::PHINode& phi);
  PointerTargets evolved(llvm::Value* pointer, const llvm::Loop* scope);
  PointerTargets anywhere_in_bases(llvm::PHINode& phi);
  domain::NodeId distance(llvm::GEPOperator& address);

  Expressions& expressions_;
  const unsigned first_variable_ = 0;
  std::vector<const llvm::GlobalVariable*>* const variables_ = nullptr;  // null: of buffers
  llvm::DenseMap<llvm::Value*, PointerTargets> known_;
  llvm::SmallVector<llvm::Value*, 8> active_;
};

}  // namespace skmd::compiler
