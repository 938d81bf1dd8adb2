// SPDX-License-Identifier: Apache-2.0
// How people name the devices of a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "intercept/backend/port/port.h"

namespace skmd::icd::control {

/// `cpu` for our own driver, else `platform:name`, for another machine `host/platform:name`: how SKMD_DEVICES would
/// take the device, though perhaps others with it.
std::string selector_of(const DeviceDescription& device);

/// The device that `word` names: its number in the order of all, or its name or selector, whole or a part of it that no
/// other has, in any case. Error: none has it, or several do.
struct NamedDevice {
  std::optional<std::uint32_t> index;  // none: see `reason`
  std::string reason;
  bool is_unknown = false;  // no device has such a name
};
NamedDevice find_device(const std::vector<DeviceDescription>& devices, std::string_view word);

}  // namespace skmd::icd::control
