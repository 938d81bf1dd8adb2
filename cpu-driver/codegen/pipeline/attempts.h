// SPDX-License-Identifier: Apache-2.0
// The code of all kernels of a program is generated in one process. If that crashes or takes too long for one kernel,
// generation is repeated without vectors for that kernel, and then without the kernel.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cpu-driver/codegen/pipeline/generate.h"

namespace skmd::codegen {

/// The kernel that a child process is generating. In memory shared with its parent.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  static constexpr std::size_t kNone = 0;
  /// `number`: of the kernel, from 1; kNone: what all kernels have in common.
  void at(std::size_t number);
  [[nodiscard]] std::size_t where() const;

 private:
  void* shared_ = nullptr;  // null: there was no memory, and where() knows nothing
};

/// What is tried at once.
struct Attempt {
  std::vector<std::string> kernels;
  std::vector<std::string> by_items;  // of these, without vectors
};

/// Makes `attempt` the one to try after it failed at the kernel with that number. False: nothing is left to try.
bool after_failure(Attempt& attempt, std::size_t number, bool without_vectors);

/// Runs in a process of its own.
using TryAttempt = std::function<Generated(const Attempt&, Progress&)>;

/// The notes are in the order of `kernels`, and name what could only be had without vectors, or not at all.
/// `without_vectors`: no attempt makes any.
Generated in_attempts(const std::vector<std::string>& kernels, bool without_vectors, const TryAttempt& make);

}  // namespace skmd::codegen
