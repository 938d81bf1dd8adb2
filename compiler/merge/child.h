// SPDX-License-Identifier: Apache-2.0
// Code generation in a forked process: a crash or an endless loop there costs that code, not the program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/merge/merge_kernel.h"

namespace skmd::compiler {

struct ChildResult {
  std::vector<MergeKernel> kernels;
  std::string code;
  std::string ptx;
};

/// Of processor time; the largest kernels take a tenth of one.
inline constexpr unsigned kChildSeconds = 20;

/// What `work` returned; "" if it did not return within `seconds`.
std::string bytes_from_child(const std::function<std::string()>& work, unsigned seconds);

/// What `work` returned; an empty result if it did not return within `seconds`.
ChildResult in_child(const std::function<ChildResult()>& work, unsigned seconds = kChildSeconds);

}  // namespace skmd::compiler
