// SPDX-License-Identifier: Apache-2.0
// From kernels to OpenCL C that can be stopped inside of work-groups (compiler/client/stoppable.h). Here because a
// state can only be exchanged with span code if both are made of the same code, prepared in the same way.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/yield/device_form.h"
#include "cpu-driver/codegen/pipeline/generate.h"

namespace skmd::codegen {

struct StoppableOptions {
  compiler::Yields yields = compiler::Yields::long_loops;
  compiler::Quantum quantum = compiler::Quantum::fuel;
  bool together = true;  // also kernels of which all items of a group leave together, at barriers
};

/// Consumes `module`, which Clang made of a program for SPIR. The artifact is an encoded compiler::StoppableText of the
/// kernels that have no obstacle.
Generated stoppable_text(llvm::Module& module, const std::vector<std::string>& kernels,
                         const StoppableOptions& options);

}  // namespace skmd::codegen
