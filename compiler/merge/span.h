// SPDX-License-Identifier: Apache-2.0
// The work-item loop: a kernel's skeleton becomes a function over a span of work-groups (cpu-driver/span_code.h).
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <string>

namespace skmd::compiler {

/// Takes the body out of `kernel`. Precondition: judge() found no obstacle. Loads outside their argument's bytes give
/// zeros; stores are markers (stored.h). `name`: the kernel's, from which those of the function and of its units are
/// made.
llvm::Function* make_span_function(llvm::Function& kernel, const std::string& name);

void optimise(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler
