// SPDX-License-Identifier: Apache-2.0
// What the library that reaches other machines exports beside a driver's entry points.
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/stub-icd/control.h"
#include "tests/stub-icd/stub.h"

#define STUB_EXPORT extern "C" __attribute__((visibility("default")))

namespace stub {
namespace {

struct Server {
  std::string address;
  int devices = 1;  // -1: it is away
};

std::vector<Server>& servers() {
  static auto* const list = new std::vector<Server>;
  return *list;
}

bool& named() {
  static bool done = false;
  return done;
}

/// The entries of a comma-separated variable.
std::vector<std::string> entries(const char* name) {
  std::vector<std::string> list;
  const char* const text = std::getenv(name);
  std::istringstream parts(text != nullptr ? text : "");
  for (std::string part; std::getline(parts, part, ',');) list.push_back(part);
  return list;
}

}  // namespace
}  // namespace stub

STUB_EXPORT int pocl_remote_set_servers(const char* const* addresses, unsigned count) {
  using namespace stub;
  if (named() || uses().count("clGetDeviceIDs") != 0) return -1;
  named() = true;
  const std::vector<std::string> answers = entries("STUB_FAR_SERVERS"), kinds = entries("STUB_FAR_DEVICES");
  std::string devices;
  std::size_t next = 0;
  for (unsigned i = 0; i < count; ++i) {
    Server server{addresses[i]};
    if (i < answers.size()) server.devices = answers[i] == "away" ? -1 : std::atoi(answers[i].c_str());
    for (int d = 0; d < server.devices; ++d, ++next)
      devices += (devices.empty() ? "" : ",") + (next < kinds.size() ? kinds[next] : std::string("gpu"));
    servers().push_back(server);
  }
  configure(devices, std::atoi(std::getenv("STUB_FAR_DELAY_US") != nullptr ? std::getenv("STUB_FAR_DELAY_US") : "-1"));
  return 0;
}

STUB_EXPORT int pocl_remote_server_devices(unsigned index, char* reason, unsigned long size) {
  using namespace stub;
  const char* why = nullptr;
  if (uses().count("clGetDeviceIDs") == 0)
    why = "was asked before the platform";
  else if (index >= servers().size())
    why = "was never named";
  else if (servers()[index].devices < 0)
    why = "does not answer";
  if (why == nullptr) return servers()[index].devices;
  std::snprintf(reason, size, "%s", why);
  return -1;
}

STUB_EXPORT const char* pocl_remote_device_server(const void* device) {
  using namespace stub;
  int index = static_cast<int>(static_cast<const _cl_device_id*>(device)->index);
  for (const Server& server : servers()) {
    if (server.devices <= 0) continue;
    if (index < server.devices) return server.address.c_str();
    index -= server.devices;
  }
  return nullptr;
}
