// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/remote_engine.h"

#include <array>

namespace skmd::icd {
namespace {

using domain::Error;
using domain::Result;
using domain::Status;

constexpr const char* kSetServers = "pocl_remote_set_servers";
constexpr const char* kServerDevices = "pocl_remote_server_devices";

Error refused(const std::string& why) { return Error{CL_PLATFORM_NOT_FOUND_KHR, why}; }

/// Finds the functions and names the servers.
Status set_up(const FindSymbol& find, const std::vector<std::string>& hosts, RemoteCalls& calls) {
  calls.set_servers = reinterpret_cast<RemoteCalls::SetServers>(find(kSetServers));
  calls.server_devices = reinterpret_cast<RemoteCalls::ServerDevices>(find(kServerDevices));
  if (calls.set_servers == nullptr) return refused(std::string("it has no ") + kSetServers);
  if (calls.server_devices == nullptr) return refused(std::string("it has no ") + kServerDevices);
  if (find(kServerOfDevice) == nullptr) return refused(std::string("it has no ") + kServerOfDevice);
  std::vector<const char*> addresses;
  for (const std::string& host : hosts) addresses.push_back(host.c_str());
  if (calls.set_servers(addresses.data(), static_cast<unsigned>(addresses.size())) == 0) return {};
  return refused("its devices were set up before its servers could be named");
}

}  // namespace

Result<RemoteEngine> load_remote_engine(const std::string& library, const std::string& own_library,
                                        const std::vector<std::string>& hosts) {
  RemoteEngine engine;
  auto platforms =
      load_vendor(library, own_library, [&](const FindSymbol& find) { return set_up(find, hosts, engine.calls); });
  if (!platforms) return platforms.error();
  engine.platforms = std::move(*platforms);
  return engine;
}

std::vector<RemoteHost> hosts_of(const RemoteEngine& engine, const std::vector<std::string>& hosts) {
  std::vector<RemoteHost> found;
  for (const std::string& address : hosts) {
    constexpr std::size_t kReasonBytes = 256;  // a sentence
    std::array<char, kReasonBytes> reason{};
    const int devices =
        engine.calls.server_devices(static_cast<unsigned>(found.size()), reason.data(), reason.size() - 1);
    RemoteHost host{address};
    if (devices < 0) host.away = reason[0] != 0 ? reason.data() : "does not answer";
    if (devices == 0) host.away = "offers no device";
    if (devices > 0) host.devices = static_cast<std::uint32_t>(devices);
    found.push_back(std::move(host));
  }
  return found;
}

}  // namespace skmd::icd
