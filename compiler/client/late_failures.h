// SPDX-License-Identifier: Apache-2.0
// Programs that a device refused after their build had ended: this can no longer be reported to the application, so the
// cache keeps it for skmd-info.
#pragma once

#include <string>
#include <vector>

namespace skmd::compiler {

struct LateFailure {
  std::string program;  // its hash
  std::string device;   // platform, name and driver version, a line each
  std::string reason;
};

/// Stores the failure in the cache folder, as an entry that is swept like others; once for a program and device.
/// Failure is not reported ("": there is no folder). Does not throw.
void keep_late_failure(const std::string& cache, const LateFailure& failure);

/// All stored failures, in no particular order.
std::vector<LateFailure> late_failures(const std::string& cache);

}  // namespace skmd::compiler
