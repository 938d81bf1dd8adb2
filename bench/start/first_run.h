// SPDX-License-Identifier: Apache-2.0
// Programs that are over before they have run twice: build from source, compute one result, end.
#pragma once

#include <functional>
#include <memory>

#include "bench/support/check.h"
#include "bench/support/opencl.h"

namespace bench {

class FirstRun {
 public:
  virtual ~FirstRun() = default;
  /// From source to kernels; timed.
  virtual void build() = 0;
  /// From inputs in host memory to results in host memory, buffers made on the way; timed.
  virtual void run() = 0;
  /// Compares the results with a host reference.
  virtual Verdict check() = 0;
};

enum class FirstSize { small, paper };

using FirstFactory = std::function<std::unique_ptr<FirstRun>(const Device&, FirstSize)>;

/// main() of such a program. Prints one JSON line: `seconds` is building and running, `build_seconds` the first part.
/// 0: done; 1: a wrong result or a failed OpenCL call; 2: bad input.
int run_first(int argc, char** argv, const char* name, const char* description, const FirstFactory& factory);

template <typename T>
int run_first(int argc, char** argv, const char* name, const char* description) {
  return run_first(argc, argv, name, description,
                   [](const Device& device, FirstSize size) { return std::make_unique<T>(device, size); });
}

}  // namespace bench
