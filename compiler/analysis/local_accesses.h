// SPDX-License-Identifier: Apache-2.0
// Every access to local memory of a checked kernel: whether they stay inside can be asked before a launch.
#pragma once

#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/analysis/control.h"
#include "compiler/analysis/pointers.h"

namespace skmd::compiler {

class LocalAccesses {
 public:
  LocalAccesses(domain::KernelTraits& traits, Expressions& expressions, const ControlDependence& control)
      : traits_(traits),
        expressions_(expressions),
        control_(control),
        pointers_(expressions, static_cast<unsigned>(traits.parameters.size()), variables_) {}

  /// Appends the accesses of `instruction` to the traits.
  void add(llvm::Instruction& instruction);
  /// Says in the traits whether all are known. Precondition: all instructions of the kernel were added.
  void finish();

 private:
  void touch(llvm::Instruction& at, llvm::Value& pointer, std::uint64_t bytes);

  domain::KernelTraits& traits_;
  Expressions& expressions_;
  const ControlDependence& control_;
  std::vector<const llvm::GlobalVariable*> variables_;
  Pointers pointers_;
  bool known_ = true;
};

}  // namespace skmd::compiler
