// SPDX-License-Identifier: Apache-2.0
// All devices that drivers show, before some of them are selected.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "intercept/backend/discovery/host_server.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/port/remote_host.h"
#include "intercept/backend/vendor/candidate.h"
#include "intercept/backend/vendor/driver_facts.h"
#include "intercept/backend/vendor/vendor_driver.h"

namespace skmd::icd {

struct Found {
  VendorPlatform platform;
  cl_device_id id = nullptr;
  std::shared_ptr<Device> bare;  // instead of the two
  std::string library = {};      // that the device was found in
  std::string key = {};          // of the driver's facts
  /// Instead of `platform` and `id`, of a driver that is not loaded yet.
  std::shared_ptr<const DriverFacts> facts = nullptr;
};

/// All devices of all vendors; what cannot be used goes to `left_out`.
class Survey {
 public:
  explicit Survey(std::vector<std::string>& left_out) : left_out_(left_out) {}

  /// `key`: of the driver's facts, made before the driver was loaded, which may change its own variables. `kept`: what
  /// the library's driver has answered in an earlier process, if that is known.
  void add_vendor(const IcdFile& file, const std::string& own_library, const std::string& key,
                  std::optional<DriverFacts> kept);
  /// The host's processors, where no vendor's driver shows them and our code runs on them.
  void add_bare_host();
  /// The devices of other machines, through the library `engine`. Returns what has become of each host, in their order:
  /// without the library all of them are away, and so is one without a server, for which the library is not loaded.
  /// Blocks for as long as the library waits for hosts that do not answer.
  std::vector<RemoteHost> add_hosts(const std::string& engine, const std::string& own_library,
                                    const std::vector<HostServer>& hosts);

  std::vector<Candidate> candidates;
  std::vector<Found> found;  // one per candidate

 private:
  std::vector<RemoteHost> add_servers(const std::string& engine, const std::string& own_library,
                                      const std::vector<std::string>& servers);
  void add_kept(const IcdFile& file, const std::string& key, DriverFacts kept);
  void add_platform(const VendorPlatform& platform, const std::string& library, const std::string& key);
  void add_device(const VendorPlatform& platform, cl_device_id id, cl_uint index);

  std::vector<std::string>& left_out_;
  std::uint32_t platforms_ = 0;
};

}  // namespace skmd::icd
