// SPDX-License-Identifier: Apache-2.0
#include "intercept/cpu_driver.h"
#include "intercept/kernel_code.h"
#include "profiler/settings/variables.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <new>

namespace skmd::icd {
namespace {

using domain::Error;

Result<bool> is_wanted(const std::string& value) {
  if (value.empty()) return SKMD_CPU_DRIVER_DEFAULT != 0;
  if (value == "0" || value == "1") return value == "1";
  return Error{CL_PLATFORM_NOT_FOUND_KHR, settings::expected(settings::kTestCpuDriver, value, "0 or 1")};
}

Result<unsigned> count_of(const std::string& value) {
  if (value.empty()) return 0u;
  unsigned count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error == std::errc() && end == value.data() + value.size() && count >= 1 && count <= kMaxCpuThreads) return count;
  return Error{CL_PLATFORM_NOT_FOUND_KHR, settings::expected(settings::kCpuThreads, value,
                                                             "a number from 1 to " + std::to_string(kMaxCpuThreads))};
}

void tell(const Machine& machine, const LaunchTrap& trap) try {
  TrapReport report{.kernel = trap.kernel, .count = trap.count, .line = trap.line, .file = trap.file};
  report.kind = cpu::kTrapKinds[static_cast<std::size_t>(trap.kind)];
  std::copy(std::begin(trap.item), std::end(trap.item), std::begin(report.item));
  report.never_ran = trap.never_ran;
  machine.observer->trap(report);
} catch (const std::bad_alloc&) {  // only the report is lost
}

}  // namespace

Result<std::optional<CpuDriverOptions>> cpu_driver_options(const Machine& machine, const std::string& wanted,
                                                           const std::string& threads, CheckMode mode) {
  const bool check = mode != CheckMode::off;
  const auto on = is_wanted(wanted);
  if (!on) return on.error();
  const auto count = count_of(threads);
  if (!count) return count.error();
  if (!*on && !check) return std::optional<CpuDriverOptions>();
  if (!*on && wanted == "0")
    return Error{CL_PLATFORM_NOT_FOUND_KHR, "SKMD_CHECK needs the CPU driver, which SKMD_TEST_CPU_DRIVER switches off"};
  CpuDriverOptions options;
  options.compile = [&machine, check](const std::string& text, const std::string& build_options,
                                      const std::string& target) {
    return kernel_code(machine, text, build_options, {.isa = target, .checked = check});
  };
  if (!check || mode == CheckMode::deopt) {
    options.compile_yielding = [&machine, check](const std::string& text, const std::string& build_options,
                                                 const std::string& target) {
      return kernel_code(machine, text, build_options,
                         {.isa = target,
                          .width = check ? 1u : 0u,  // few items go on there
                          .checked = check,
                          .yields = check ? compiler::Yields::traps : yields_of(machine)});
    };
    options.later = later_on(machine);
  }
  options.report = [&machine](const std::string& kernel, const std::string& reason) {
    machine.observer->other_driver({kernel, reason});
  };
  options.traps.stop = mode == CheckMode::stop;
  options.traps.results_count = mode == CheckMode::deopt;
  options.traps.report = [&machine](const LaunchTrap& trap) { tell(machine, trap); };
  options.code_folder = machine.code_folder;
  options.threads = *count;
  return std::optional<CpuDriverOptions>(std::move(options));
}

Result<std::vector<CpuVariant>> cpu_variants(const std::string& value, bool driven) {
  auto variants = parse_cpu_variants(value);
  if (!variants) return Error{CL_PLATFORM_NOT_FOUND_KHR, variants.error().reason};
  if (!variants->empty() && !driven)
    return Error{CL_PLATFORM_NOT_FOUND_KHR, "SKMD_TEST_CPUS needs the CPU driver, which is switched off"};
  return variants;
}

}  // namespace skmd::icd
