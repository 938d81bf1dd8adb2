// SPDX-License-Identifier: Apache-2.0
// The library through which devices of other machines are reached: PoCL's remote client, patched to be told its servers
// by calls instead of by environment variables, and to leave out a server that is away.
#pragma once

#include <string>
#include <vector>

#include "intercept/backend/port/remote_host.h"
#include "intercept/backend/vendor/vendor_driver.h"

namespace skmd::icd {

/// The functions that the library exports beside an OpenCL driver's. They are called by one thread at a time.
struct RemoteCalls {
  /// Before the first OpenCL call. Returns 0, or -1 where devices have already been set up.
  using SetServers = int (*)(const char* const* addresses, unsigned count);
  /// After the platform was asked for its devices: how many server `index` offers; -1 where it is away, and then
  /// `reason` holds a text of at most `size` bytes with its NUL.
  using ServerDevices = int (*)(unsigned index, char* reason, unsigned long size);
  SetServers set_servers = nullptr;
  ServerDevices server_devices = nullptr;
};

struct RemoteEngine {
  std::vector<VendorPlatform> platforms;
  RemoteCalls calls;
};

/// Loads the library and names the servers to it. Once per process. An error: the library is not there, lacks one of
/// the functions, was set up before, or is no driver.
domain::Result<RemoteEngine> load_remote_engine(const std::string& library, const std::string& own_library,
                                                const std::vector<std::string>& hosts);

/// What has become of each of `hosts`. Precondition: the engine's platforms were asked for their devices.
std::vector<RemoteHost> hosts_of(const RemoteEngine& engine, const std::vector<std::string>& hosts);

}  // namespace skmd::icd
