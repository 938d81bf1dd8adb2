// SPDX-License-Identifier: Apache-2.0
// From LLVM IR to kernel traits. Analysis only: the module given may be simplified, but no artifact is made of it.
#pragma once

#include <string>
#include <vector>

#include "compiler/analysis/prepare.h"
#include "partitioner/base/result.h"
#include "partitioner/traits/traits.h"

namespace llvm {
class Module;
}

namespace skmd::compiler {

/// `kernels` come from the front end with name, parameters, attributes and required_local filled in; everything else
/// (queries, facts, local_bytes, access, nodes, loops, accesses) is filled in here. `module` is Clang's output for
/// spir64 at -O1 with LLVM passes disabled, with all builtins as declarations. Never fails: code that cannot be
/// analysed becomes an unknown access or a fact that keeps the kernel whole.
void analyse(llvm::Module& module, std::vector<domain::KernelTraits>& kernels, Reads reads = Reads::used);

/// Sets the traits to conservative values, valid for any kernel: for code that cannot be analysed.
void assume_the_worst(std::vector<domain::KernelTraits>& kernels);

/// The traits as readable text (skmd-compile --explain): one access per line, with its expression in OpenCL's names.
std::string explain(const domain::KernelTraits& traits);

}  // namespace skmd::compiler
