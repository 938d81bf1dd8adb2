// SPDX-License-Identifier: Apache-2.0
// Which devices can take a launch (semantics note, rule 3): program built there, local size, local memory, buffers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "intercept/launch/launch.h"
#include "partitioner/merge.h"

namespace skmd::icd {

struct Eligibility {
  std::vector<bool> eligible;          // per device
  std::vector<std::string> why_not;    // per device, names limit and value; "" where eligible
  std::vector<std::uint32_t> pending;  // devices that only wait for their program's build
  bool memory_short = false;           // some device would be eligible if it had more memory
  [[nodiscard]] std::size_t count() const;
  /// The anchor if it is eligible, else the first eligible device. Precondition: count() > 0.
  [[nodiscard]] std::uint32_t preferred(std::uint32_t anchor) const;
  /// All eligible devices are of one driver version, vendor and model.
  [[nodiscard]] bool alike(const Machine& machine) const;
};

/// Launches of the kernel leave something on their device that the next ones find there: program-scope variables.
bool keeps_state(const Machine& machine, const BuiltKernel& kernel);

/// The launch may follow pointers that it finds in shared virtual memory: only devices that use host memory in place
/// have what is there at those addresses, and any byte of the allocations that it is given may be touched.
bool follows_svm_pointers(const Launch& launch);

/// As it is now: a device whose build has not ended is not eligible, and becomes it when it has.
Eligibility eligibility(const Machine& machine, const Launch& launch);

/// Blocks until it is known where launches of a kernel run that have to run in one place for ever: of an opaque
/// program, or with program-scope variables. For other kernels nothing is waited for.
void wait_for_home(const BuiltKernel& kernel);

/// The device whose build the launch has to wait for, whatever else is built; none: it may go on. A kernel whose groups
/// wait for each other must not be without a GPU, or else the anchor; any other only needs some device.
std::optional<std::uint32_t> awaited(const Machine& machine, const Launch& launch, const Eligibility& eligible);

/// The reason that keeps this launch whole whatever is measured and wherever its bytes lie, or none.
std::optional<domain::NotSplit> confined(const Machine& machine, const Launch& launch, const Eligibility& eligible);

}  // namespace skmd::icd
