// SPDX-License-Identifier: Apache-2.0
// A device as its vendor shows it, before it is known whether it will be used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "intercept/backend/port/port.h"

namespace skmd::icd {

inline constexpr const char* kPoclPlatform = "Portable Computing Language";

/// Candidates stand in the order of their platforms, then of the platform's devices.
struct Candidate {
  std::uint32_t platform_index = 0;  // equal for devices of one platform
  std::uint32_t device_index = 0;    // in the platform's order
  std::string platform;              // CL_PLATFORM_NAME
  std::string name;                  // CL_DEVICE_NAME
  std::string host = {};             // the other machine that it is in, as SKMD_HOSTS names it; "": this one
  std::string vendor = {};           // CL_DEVICE_VENDOR of a device in another machine
  DeviceKind kind = DeviceKind::cpu;
  std::uint32_t compute_units = 0;
  bool fp64 = false;
  std::uint32_t version = 0;       // CL_DEVICE_NUMERIC_VERSION; 0: older than OpenCL 3.0, which does not tell
  std::optional<std::string> pci;  // bus address, where the vendor tells it
  std::string unfit;               // why it cannot take part; empty: it can
};

}  // namespace skmd::icd
