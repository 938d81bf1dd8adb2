// SPDX-License-Identifier: Apache-2.0
// Programs that a device refused after their build had ended: no application can be told, so the cache keeps it for
// skmd-info.
#pragma once

#include <string>
#include <vector>

namespace skmd::compiler {

struct LateFailure {
  std::string program;  // its hash
  std::string device;   // platform, name and driver version, a line each
  std::string reason;
};

/// In the cache folder, as an entry like others, swept like them; once for a program and device. Says nothing where it
/// cannot ("": there is no folder), and throws nothing.
void keep_late_failure(const std::string& cache, const LateFailure& failure);

/// Those that are kept there, in no order.
std::vector<LateFailure> late_failures(const std::string& cache);

}  // namespace skmd::compiler
