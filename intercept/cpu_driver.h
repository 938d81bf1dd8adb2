// SPDX-License-Identifier: Apache-2.0
// Part of the composition root: our CPU driver, wired to the compiler and the observer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "intercept/backend/cpu/cpu_device.h"
#include "intercept/backend/cpu/cpu_variants.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// `wanted`: SKMD_TEST_CPU_DRIVER, "" for what the build decided. `threads`: SKMD_CPU_THREADS, "" for all processors.
/// `mode`: SKMD_CHECK, which needs our driver. Nothing if the host CPU is driven by its vendor's driver alone.
/// `machine` lives for ever; its compiler, language, observer and code folder are set before a program is built.
Result<std::optional<CpuDriverOptions>> cpu_driver_options(const Machine& machine, const std::string& wanted,
                                                           const std::string& threads, CheckMode mode);

/// SKMD_TEST_CPUS. `driven`: the CPU driver is on. An error names what is wrong.
Result<std::vector<CpuVariant>> cpu_variants(const std::string& value, bool driven);

}  // namespace skmd::icd
