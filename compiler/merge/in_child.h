// SPDX-License-Identifier: Apache-2.0
// Merge functions made in a forked process (ir/child.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/child.h"
#include "compiler/ir/ir_constants.h"
#include "compiler/merge/merge_kernel.h"

namespace skmd::compiler {

struct ChildResult {
  std::vector<MergeKernel> kernels;
  std::string code;
  std::string ptx;
};

/// What `work` returned; an empty result if it did not return within `seconds`.
ChildResult in_child(const std::function<ChildResult()>& work, unsigned seconds = tuning::kChildSeconds);

}  // namespace skmd::compiler
