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

/// A process that works while this one goes on.
class Child {
 public:
  /// `work` gets a copy of all memory, and `seconds` of processor time.
  Child(const std::function<std::string()>& work, unsigned seconds);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for what `work` returns; "" if it did not return in time. Once.
  std::string bytes();

 private:
  int reading_ = -1;
  int process_ = -1;
};

/// What `work` returned; "" if it did not return within `seconds`.
std::string bytes_from_child(const std::function<std::string()>& work, unsigned seconds);

/// What `work` returned; an empty result if it did not return within `seconds`.
ChildResult in_child(const std::function<ChildResult()>& work, unsigned seconds = kChildSeconds);

}  // namespace skmd::compiler
