// SPDX-License-Identifier: Apache-2.0
// Launches of checked code: what becomes of one that traps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cpu-driver/runtime/yield.h"
#include "cpu-driver/span_code.h"
#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// The first trap of a launch, and how many it had.
struct LaunchTrap {
  std::string kernel;
  std::uint64_t count = 0;
  std::uint32_t line = 0;  // 0: it is not known
  std::string file;        // where headers or #line name one
  cpu::TrapKind kind = cpu::TrapKind::out_of_bounds;
  std::uint64_t item[3] = {};   // global id
  std::uint64_t never_ran = 0;  // work-groups of the launch that did not run
};

struct TrapHandling {
  bool stop = false;  // the first trap ends its launch
  /// A batch with traps does not fail: it tells them (BatchResult::trapped).
  bool results_count = false;
  /// Told of every launch that had traps. Thread-safe; throws nothing.
  std::function<void(const LaunchTrap&)> report = {};
};

/// Due as soon as the launch has had a trap.
class TrapYield final : public cpu::Yield {
 public:
  explicit TrapYield(cpu::CheckReport& report) : report_(report) {}
  [[nodiscard]] bool due() const noexcept override;

 private:
  cpu::CheckReport& report_;
};

/// How a launch ended that had traps.
struct TrapEnd {
  cl_int status = CL_SUCCESS;  // success: the kernel ended it, and said that this is no failure
  std::string reason;
};

/// Reports the traps of a launch of `kernel` that has ended, and says what that makes of the launch. Precondition:
/// `report` has counted something. `sites`: of the kernel; `never_ran`: groups.
TrapEnd end_of_trapped(const TrapHandling& traps, const std::string& kernel, const char* sites,
                       const cpu::CheckReport& report, std::uint64_t never_ran);

}  // namespace skmd::icd
