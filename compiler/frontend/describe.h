// SPDX-License-Identifier: Apache-2.0
// Kernels as the application wrote them: what clGetKernelInfo and clGetKernelArgInfo answer.
#pragma once

#include <clang/AST/ASTContext.h>

#include <vector>

#include "partitioner/traits/traits.h"

namespace skmd::compiler {

/// Name, attributes, parameters and required_local of each kernel that is defined, in order of appearance.
std::vector<domain::KernelTraits> describe_kernels(clang::ASTContext& context);

}  // namespace skmd::compiler
