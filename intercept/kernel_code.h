// SPDX-License-Identifier: Apache-2.0
// Part of the composition root: what skmd-compile makes of a program for one kind of device.
#pragma once

#include <functional>
#include <string>

#include "compiler/client/client.h"
#include "intercept/backend/cpu/cpu_device.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// Blocks for as long as a compiler takes. Thread-safe.
CpuCode kernel_code(const Machine& machine, const std::string& text, const std::string& options,
                    const compiler::CodeTarget& target);

/// Which loops get yield points where code has any.
compiler::Yields yields_of(const Machine& machine);

/// Runs work on a thread of the machine's executor, which exists before a program is built.
std::function<void(std::function<void()>)> later_on(const Machine& machine);

}  // namespace skmd::icd
