// SPDX-License-Identifier: Apache-2.0
// The second form of a vendor's program, whose kernels can be stopped inside of work-groups: OpenCL C that skmd-compile
// made (compiler/client/stoppable.h), built by the vendor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/client/stoppable.h"
#include "intercept/backend/port/launch_traps.h"
#include "intercept/backend/port/made_later.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

/// How such text is made. All are called on any thread.
struct StoppableMaker {
  /// Blocks for as long as a compiler takes. `target`: one of those in compiler/client/stoppable.h.
  std::function<Result<compiler::StoppableText>(const std::string& text, const std::string& options,
                                                std::string_view target)>
      compile;
  std::uint64_t trap_bytes = tuning::kTrapBytes;          // of records of one part of a launch, at most
  TrapHandling trap_handling = {};                        // of kernels whose items go on
  bool traps = false;                                     // it is checked text (compiler/client/trapping.h)
  std::function<void(std::function<void()>)> later;       // runs work on a thread of its own
  std::function<void(const std::string& reason)> report;  // why a program has no such form
};

/// One kernel of it.
struct StoppableKernelCode {
  std::shared_ptr<NativeKernel> kernel;  // null where the facts say that there is no text, or that none is needed
  compiler::StoppableKernel facts;
};

/// Whether a kernel of `limits`, which has some local memory of its own and numbers groups by 32 bits, can be launched
/// for `needs` on a device with so many bytes of local memory.
inline bool serves(const KernelLimits& limits, const YieldNeeds& needs, std::uint64_t local_memory) {
  return needs.items <= limits.most_items && needs.groups <= UINT32_MAX && limits.local_bytes <= local_memory &&
         needs.local_bytes <= local_memory - limits.local_bytes;
}

/// By the kernels' names.
using StoppableKernels = std::map<std::string, StoppableKernelCode>;
using StoppableCode = MadeLater<StoppableKernels>;

}  // namespace skmd::icd
