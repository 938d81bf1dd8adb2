// SPDX-License-Identifier: Apache-2.0
// Finding real devices: the vendors' .icd files, selectors, and what is left out for which reason.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "intercept/backend/cpu/cpu_device.h"
#include "intercept/backend/cpu/cpu_variants.h"
#include "intercept/backend/discovery/ask_ahead.h"
#include "intercept/backend/discovery/host_server.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/port/remote_host.h"
#include "intercept/backend/vendor/driver_facts.h"
#include "intercept/backend/vendor/stoppable_code.h"

namespace skmd::icd {

struct DiscoveryOptions {
  std::string vendors_folder = "/etc/OpenCL/vendors";  // or an .icd file: SKMD_VENDORS
  bool folder_is_named = false;                        // by the user: if it cannot be read, discover() fails
  std::string selectors;                               // SKMD_DEVICES; "": the default choice
  std::string own_library;                             // path of this libskmd.so, left out
  /// The host CPU is driven by our own driver, with its vendor's beside it if there is one; nothing: by its vendor's
  /// alone.
  std::optional<CpuDriverOptions> cpu_driver = std::nullopt;
  /// Gives programs of vendors' devices in this machine a form that can be stopped inside of groups.
  std::optional<StoppableMaker> stoppable = std::nullopt;
  /// For tests: devices in place of the host CPU, each by `cpu_driver` with a target and threads of its own. Empty: one
  /// device, as `cpu_driver` says.
  std::vector<CpuVariant> cpu_variants = {};
  /// A CPU driver whose answers were kept is not loaded before something of it is needed.
  FactsStore facts = {};
  /// Asks a CPU driver whose answers are not kept yet, in another process, while others are loaded. Empty: none is
  /// asked.
  AskDriver ask = {};
  std::vector<HostServer> hosts = {};  // SKMD_HOSTS; their devices are reached through `engine`
  std::string engine = {};             // path of libpocl-remote.so
};

struct Discovery {
  /// In the order of the selectors; spaces are assigned. 64 at most, 63 of them with memory of their own: the others
  /// are left out.
  std::vector<std::shared_ptr<Device>> devices;
  std::vector<std::string> left_out;   // "name: reason", for the log and skmd-info
  std::vector<RemoteHost> hosts = {};  // those of the options, in their order
  /// To be called after the usual queries of the devices: keeps the answers for later processes.
  std::function<void()> settle = [] {};
};

/// Loads the vendors (RTLD_LOCAL | RTLD_LAZY), never through libOpenCL.so.1. An error names the selector that matched
/// nothing. A vendor that fails is left out with a reason, and so is another machine that is away, which may take a
/// second; no device at all is an error (CL_PLATFORM_NOT_FOUND_KHR).
Result<Discovery> discover(const DiscoveryOptions& options);

}  // namespace skmd::icd
