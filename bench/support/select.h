// SPDX-License-Identifier: Apache-2.0
// Which device a workload runs on.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct PlatformNames {
  std::string name;
  std::vector<std::string> devices;
};

/// Position of a device: platform, then device on that platform.
struct Choice {
  std::size_t platform;
  std::size_t device;
  bool operator==(const Choice&) const = default;
};

/// The first device that `selector` names ("" or "platform:device", see Device), or nothing.
/// Throws BadInput if `selector` has no colon.
std::optional<Choice> choose(const std::vector<PlatformNames>& platforms, const std::string& selector);

/// The same among the installed devices. Throws BadInput with the list of devices if none matches.
cl_device_id select_device(const std::string& selector);

}  // namespace bench
