// SPDX-License-Identifier: Apache-2.0
// Which values descend from floating point, from memory or from pointers, by data and by control.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstdint>

#include "compiler/analysis/control.h"

namespace skmd::compiler {

/// Bits of a value's descent.
enum Influence : std::uint8_t {
  kFromFloat = 1,      // a comparison or conversion of floating point numbers
  kFromMemory = 2,     // bytes of a buffer or an image
  kFromPointer = 4,    // an address as a number
  kCountsByFloat = 8,  // the iteration of a loop whose exit floating point decides
};

class Influences {
 public:
  Influences(const KernelView& view, const ControlDependence& control);

  [[nodiscard]] unsigned of(const llvm::Value* value) const;
  /// The descent of all conditions that decide whether `block` runs, from the kernel's entry on.
  [[nodiscard]] unsigned on(const llvm::BasicBlock* block) const;

 private:
  bool propagate();
  unsigned instruction(llvm::Instruction& instruction);
  unsigned memory(llvm::Instruction& instruction);
  unsigned phi(llvm::PHINode& phi);
  unsigned pace(const llvm::Loop& loop);
  unsigned exit_choice(llvm::BasicBlock* join, llvm::BasicBlock* from);
  unsigned conditions_above(llvm::BasicBlock* block, llvm::function_ref<bool(const Dependence&)> counts);
  bool note_effects(llvm::Instruction& instruction, unsigned influence);
  bool note_store(const llvm::Value* pointer, unsigned influence);

  const KernelView& view_;
  const ControlDependence& control_;
  llvm::DenseMap<const llvm::Value*, unsigned> values_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> blocks_;
  // Contents of private and local objects, each as a whole; null: any object.
  llvm::DenseMap<const llvm::Value*, unsigned> objects_;
};

}  // namespace skmd::compiler
