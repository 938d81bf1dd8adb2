// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/serve_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "profiler/application.h"
#include "profiler/settings/variables.h"

namespace skmd::profiler {

namespace {

EarlyEnd refused(const std::string& reason) {
  return {kOwnFailure, "skmd-serve: " + reason + "\nTry skmd-serve --help.\n"};
}

}  // namespace

std::optional<EarlyEnd> parse_serve_options(const std::vector<std::string>& arguments, ServeOptions& options) {
  CLI::App app("Lets SKMD on other hosts use this host's devices.", "skmd-serve");
  app.footer(
      "A program that reaches the address may run code as this user: there is neither authentication nor encryption. "
      "A folder behind unix: is made, of mode 0700, and removed at the end: no other user reaches its sockets.");
  std::string listen;
  bool anyone = false;
  app.add_option("--listen", listen,
                 "where: an IPv4 address of this host, and a port; the next two are used, too; or unix:FOLDER")
      ->required();
  auto* const devices = app.add_option("--devices", options.devices, "of what the one device that is served is made");
  app.add_flag("--each", options.each, "serve every real device by itself")->excludes(devices);
  app.add_flag("--anyone", anyone, "also at an address that is neither of the loopback nor of a private network");
  app.add_flag("--until-eof", options.until_eof, "also end when standard input does, as it does under ssh");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes a vector
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return EarlyEnd{0, app.help()};
  } catch (const CLI::ParseError& error) {
    return refused(error.what());
  }
  const auto address = parse_listen_address(listen);
  if (!address) return refused(address.error().reason);
  if (!anyone && address->folder.empty() && reach_of(address->ip) == Reach::anyone)
    return refused("--listen " + listen +
                   ": expected an address of the loopback or a private network (127/8, 10/8, 172.16/12, 192.168/16, "
                   "169.254/16), since a program that reaches it may run code; --anyone allows others");
  options.address = *address;
  return std::nullopt;
}

Environment daemon_environment(const Environment& outer, const ServeOptions& options, const Icd& drivers,
                               const std::string& vendors_folder) {
  Environment result = outer;
  // The variable that has this option: a server that were a client of others could be one of itself.
  for (const settings::Variable& variable : settings::kVariables)
    if (std::string_view(variable.option) == "--hosts") result.erase(variable.name);
  if (!options.devices.empty()) result[settings::kDevices.name] = options.devices;
  std::string& vendors = result[settings::kVendors.name];
  if (vendors.empty()) vendors = vendors_folder;
  show_drivers(result, drivers);
  // Settings of PoCL's remote client, which every PoCL in the daemon would read.
  if (const auto found = result.find("POCL_DEVICES");
      found != result.end() && found->second.find("remote") != std::string::npos)
    result.erase(found);
  return result;
}

bool is_left_out(const std::string& icd_line) {
  const std::string name = icd_line.substr(icd_line.rfind('/') + 1);
  return name.starts_with("libskmd.so") || name.starts_with("libpocl-remote.so");
}

}  // namespace skmd::profiler
