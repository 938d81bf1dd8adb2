// SPDX-License-Identifier: Apache-2.0
// One program on every device at once, through the vendors' own compilers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "intercept/object/program.h"

namespace skmd::icd {

/// What vendors build: one text, or several units that the vendor links itself.
struct VendorInput {
  std::string text;
  std::string options;
  std::vector<SourceUnit> units;  // not empty: build_linked of these instead of `text`, with `options` for the link
  const std::vector<VendorBlob>* blobs = nullptr;  // tried first; a stale or refused one is no error
};

/// What vendors compile of units.
std::vector<SourceUnit> source_units(const std::vector<Unit>& units);

struct VendorOutcome {
  std::vector<std::shared_ptr<NativeProgram>> native;  // per device; null: it failed there
  std::vector<std::string> failures;                   // per device; "" where it was built
};

/// Blocks until every device has answered. Devices build in parallel.
VendorOutcome build_on_devices(Machine& machine, const VendorInput& input);

/// What a vendor's binary is good for: platform, device and driver version.
std::string driver_key(const Device& device);

/// The vendors' binaries of a built program; devices that give none are left out.
std::vector<VendorBlob> collect_blobs(Machine& machine, const std::vector<std::shared_ptr<NativeProgram>>& native);

}  // namespace skmd::icd
