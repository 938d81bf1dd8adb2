// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/launch_traps.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "cpu-driver/runtime/failed_check.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kTerminationSuccess = 0;  // ARM_TERMINATION_SUCCESS, which no header of ours has

}  // namespace

bool TrapYield::due() const noexcept { return std::atomic_ref(report_.count).load(std::memory_order_relaxed) != 0; }

TrapEnd end_of_trapped(const TrapHandling& traps, const std::string& kernel, const char* sites,
                       const cpu::CheckReport& report, std::uint64_t never_ran) {
  cpu::TrapSite site = cpu::trap_site(sites, report);
  TrapEnd end;
  const bool done = site.kind == cpu::TrapKind::terminated && report.offset == kTerminationSuccess;
  const bool ends = traps.stop || (traps.results_count && site.kind == cpu::TrapKind::terminated);
  if (!ends || !done) {
    // The code that GPU drivers give where a kernel leaves its buffers, unless the launch was ended.
    end.status = ends ? CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM : CL_OUT_OF_RESOURCES;
    end.reason = cpu::failed_check(kernel, sites, report);
  }
  if (traps.report) {
    LaunchTrap trap{kernel, report.count, site.line, std::move(site.file), site.kind, {}, never_ran};
    std::copy(std::begin(report.item), std::end(report.item), std::begin(trap.item));
    traps.report(trap);
  }
  return end;
}

}  // namespace skmd::icd
