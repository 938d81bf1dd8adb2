// SPDX-License-Identifier: Apache-2.0
// Which devices can take a launch: program built there, local size, local memory, buffers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/merge/merge.h"

namespace skmd::icd {

struct Eligibility {
  std::vector<bool> eligible;          // per device
  std::vector<std::string> why_not;    // per device, names limit and value; "" where eligible
  std::vector<std::uint32_t> pending;  // devices that only wait for their program's build
  bool memory_short = false;           // some device would be eligible if it had more memory
  [[nodiscard]] std::size_t count() const;
  /// The eligible devices, a bit each.
  [[nodiscard]] std::uint64_t devices() const;
  /// The anchor if it is eligible, else the first eligible device. Precondition: count() > 0.
  [[nodiscard]] std::uint32_t preferred(std::uint32_t anchor) const;
  /// All eligible devices are of one driver version, vendor and model, and each rounds in one way.
  [[nodiscard]] bool alike(const Machine& machine) const;
};

/// Launches of the kernel leave something on their device that the next ones find there: program-scope variables.
bool keeps_state(const Machine& machine, const BuiltKernel& kernel);

/// The launch may follow pointers that it finds in shared virtual memory: only devices that use host memory in place
/// have what is there at those addresses, and any byte of the allocations that it is given may be touched.
bool follows_svm_pointers(const Launch& launch);

/// As it is now: a device whose build has not ended is not eligible, and becomes it when it has. `stopped`: a value of
/// Machine::stopped, by which devices are left out.
Eligibility eligibility(const Machine& machine, const Launch& launch, std::uint64_t stopped);
inline Eligibility eligibility(const Machine& machine, const Launch& launch) {
  return eligibility(machine, launch, machine.stopped.load(std::memory_order_acquire));
}

/// `then`, with the devices that only waited for their program's build as they are once that has ended. Blocks until it
/// has.
Eligibility once_built(const Machine& machine, const Launch& launch, Eligibility then);

/// Blocks until home() is known, for kernels whose launches always have to run on that device: those of opaque
/// programs, and those with program-scope variables. Returns at once for other kernels.
void wait_for_home(const BuiltKernel& kernel);

/// The device whose build the launch has to wait for, even where other devices have built the program; none: it may go
/// on. A kernel whose groups wait for each other must not be without a GPU, or else the anchor; any other only needs
/// some device.
std::optional<std::uint32_t> awaited(const Machine& machine, const Launch& launch, const Eligibility& eligible);

/// The reason that keeps this launch whole, independent of measurements and of residency, or none.
std::optional<domain::NotSplit> confined(const Machine& machine, const Launch& launch, const Eligibility& eligible);

}  // namespace skmd::icd
