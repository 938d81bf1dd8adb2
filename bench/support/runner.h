// SPDX-License-Identifier: Apache-2.0
// What the workloads share: options, timing, the JSON line, exit status.
#pragma once

#include <cstring>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/support/check.h"
#include "bench/support/opencl.h"

namespace bench {

/// The paper's Table II (paper), Table III (profile1, profile2), and one for tests.
enum class Size { small, profile1, profile2, paper };

/// Picks by size: small, profile1, profile2, paper.
template <typename T>
T by_size(Size size, T small, T profile1, T profile2, T paper) {
  const T values[] = {small, profile1, profile2, paper};
  return values[static_cast<int>(size)];
}

/// One computation with its inputs, buffers and kernels ready.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Spoils the host's copy of the results, so that stale ones cannot pass; not timed.
  virtual void prepare() = 0;
  /// Inputs in host memory to results in host memory; timed.
  virtual void run() = 0;
  /// Compares the results with a host reference.
  virtual Verdict check() = 0;
};

template <typename T>
void spoil(std::span<T> results) {
  std::memset(static_cast<void*>(results.data()), 0xCD, results.size_bytes());
}

struct CommonOptions {
  int repeat = 1;
  std::string device;
  std::string memory = "pageable";  // or "pinned"
  bool check = false;
};

struct Report {
  std::vector<double> seconds;
  Verdict verdict{"none", true, ""};
};

/// Runs `workload` as often as asked, each time checked if asked.
Report measure(Workload& workload, const CommonOptions& options);

/// Does what the lines of `requests` say, and answers each by a line of JSON on `answers`:
///   run     once: {"seconds", "kernels", "processor"}, of all and of the kernels alone (see Spent)
///   check   the last results: {"checked", "ok", "detail"}
///   build   {"build"}: seconds that programs have taken to build
/// Until the end of input. For a program that compares others turn by turn. `spent`: what the workload's device
/// accounts to; null: to nothing, so that `run` answers with the seconds alone, and `build` is refused.
void serve(Workload& workload, Spent* spent, std::istream& requests, std::ostream& answers);

using Factory = std::function<std::unique_ptr<Workload>(const Device&, Size)>;

/// main() of a workload. 0: done; 1: a wrong result or a failed OpenCL call; 2: bad input.
int run_workload(int argc, char** argv, const char* name, const char* description, const Factory& factory);

template <typename T>
int run_workload(int argc, char** argv, const char* name, const char* description) {
  return run_workload(argc, argv, name, description,
                      [](const Device& device, Size size) { return std::make_unique<T>(device, size); });
}

/// Calls `body`, and turns what it throws into a message on standard error and an exit status.
int guarded(const char* name, const std::function<int()>& body);

}  // namespace bench
