// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/survey.h"

#include <algorithm>

#include "cpu-driver/host_target.h"
#include "intercept/backend/cpu/bare_host.h"
#include "intercept/backend/discovery/candidate_of.h"
#include "intercept/backend/discovery/selectors.h"
#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/remote_engine.h"

namespace skmd::icd {

void Survey::add_vendor(const IcdFile& file, const std::string& own_library, const std::string& key,
                        std::optional<DriverFacts> kept) {
  if (kept) {
    add_kept(file, key, std::move(*kept));
    return;
  }
  auto platforms = load_vendor(file.library, own_library);
  if (!platforms) {
    left_out_.push_back(file.path + ": " + platforms.error().reason);
    return;
  }
  for (const VendorPlatform& platform : *platforms) add_platform(platform, file.library, key);
}

void Survey::add_bare_host() {
  if (host_cpu(candidates) || !cpu::best_target()) return;
  const cpu::HostFacts facts = cpu::read_host_facts();
  auto bare = std::make_shared<BareHost>(facts);
  Candidate c;
  c.platform_index = platforms_++;
  c.platform = bare->description().platform;
  c.name = bare->description().name;
  c.compute_units = facts.processors;
  c.fp64 = true;
  candidates.push_back(std::move(c));
  found.emplace_back().bare = std::move(bare);
}

std::vector<RemoteHost> Survey::add_hosts(const std::string& engine, const std::string& own_library,
                                          const std::vector<HostServer>& hosts) {
  std::vector<std::string> servers;
  for (const HostServer& host : hosts)
    if (!host.server.empty()) servers.push_back(host.server);
  std::vector<RemoteHost> asked;
  if (!servers.empty()) asked = add_servers(engine, own_library, servers);
  std::vector<RemoteHost> states;
  std::size_t next = 0;
  for (const HostServer& host : hosts) {
    if (host.server.empty()) {
      states.push_back({.address = host.name, .away = "could not be reached by skmd-run"});
      continue;
    }
    states.push_back(std::move(asked[next++]));
    states.back().address = host.name;
  }
  for (Candidate& candidate : candidates) {
    const auto host = std::find_if(hosts.begin(), hosts.end(), [&](const HostServer& one) {
      return !one.server.empty() && one.server == candidate.host;
    });
    if (host != hosts.end()) candidate.host = host->name;
  }
  return states;
}

std::vector<RemoteHost> Survey::add_servers(const std::string& engine, const std::string& own_library,
                                            const std::vector<std::string>& servers) {
  const auto loaded = load_remote_engine(engine, own_library, servers);
  if (!loaded) {
    std::vector<RemoteHost> away;
    away.reserve(servers.size());
    for (const std::string& server : servers)
      away.push_back({.address = server, .away = "cannot be reached: " + loaded.error().reason});
    return away;
  }
  std::vector<std::string> problems;
  std::swap(left_out_, problems);
  for (const VendorPlatform& platform : loaded->platforms) add_platform(platform, engine, "");
  std::swap(left_out_, problems);
  std::vector<RemoteHost> states = hosts_of(*loaded, servers);
  // That there is no device is told of each host.
  const bool reached = std::any_of(states.begin(), states.end(), [](const auto& host) { return host.away.empty(); });
  if (reached) left_out_.insert(left_out_.end(), problems.begin(), problems.end());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (found[i].library == engine && candidates[i].host.empty()) candidates[i].unfit = "is in no other machine";
  return states;
}

void Survey::add_kept(const IcdFile& file, const std::string& key, DriverFacts kept) {
  const auto facts = std::make_shared<const DriverFacts>(std::move(kept));
  for (Candidate c : facts->candidates) {
    c.platform_index = platforms_;
    candidates.push_back(std::move(c));
    Found& kept_one = found.emplace_back();
    kept_one.library = file.library;
    kept_one.key = key;
    kept_one.facts = facts;
  }
  ++platforms_;
}

void Survey::add_platform(const VendorPlatform& platform, const std::string& library, const std::string& key) {
  // Two files may name one library.
  for (const Found& f : found) {
    if (f.platform.id == platform.id) return;
  }
  cl_uint count = 0;
  cl_int code = platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> ids(code == CL_SUCCESS ? count : 0);
  if (!ids.empty()) code = platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  if (code != CL_SUCCESS || ids.empty()) {
    left_out_.push_back(platform.name + ": " +
                        (code == CL_SUCCESS ? "has no device" : native_failure("clGetDeviceIDs", code).reason));
    return;
  }
  for (cl_uint i = 0; i < count; ++i) {
    add_device(platform, ids[i], i);
    found.back().library = library;
    found.back().key = key;
  }
  ++platforms_;
}

void Survey::add_device(const VendorPlatform& platform, cl_device_id id, cl_uint index) {
  Candidate c = candidate_of(platform, id);
  c.platform_index = platforms_;
  c.device_index = index;
  candidates.push_back(std::move(c));
  Found& one = found.emplace_back();
  one.platform = platform;
  one.id = id;
}

}  // namespace skmd::icd
