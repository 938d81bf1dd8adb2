// SPDX-License-Identifier: Apache-2.0
// Yielding kernels for drivers whose launches we do not run group by group: a launch is given the states of all of its
// groups and a list of them (compiler/client/stoppable.h).
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

#include "compiler/yield/yield.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

/// What makes groups leave.
enum class Quantum : std::uint8_t {
  clock,  // the device's: the kernel calls kOver
  fuel,   // so many looks of each item, or of each group
};

/// What make_device_form() found in a kernel.
struct DeviceForm {
  std::uint64_t local_bytes = 0;  // of local variables, placed as in span code
  std::uint32_t local_parameters = 0;
};

/// Changes `kernel`, whose `form` is as make_yielding() returned it, so that it keeps to stoppable.h. An error is why
/// it cannot be: `kernel` is to be dropped then.
domain::Result<DeviceForm> make_device_form(llvm::Function& kernel, const YieldForm& form, Quantum quantum);

}  // namespace skmd::compiler
