// SPDX-License-Identifier: Apache-2.0
// Code generation in a forked process: a crash or an endless loop there costs the merge functions, not the program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/merge/merge.h"

namespace skmd::compiler {

struct ChildResult {
  std::vector<MergeKernel> kernels;
  std::string code;
};

/// What `work` returned; an empty result if it did not return.
ChildResult in_child(const std::function<ChildResult()>& work);

}  // namespace skmd::compiler
