// SPDX-License-Identifier: Apache-2.0
// skmd-serve: this host's devices for SKMD on other hosts, through the remote engine's daemon, which finds the drivers
// in a folder of its own: SKMD's alone, or with --each the real ones.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "profiler/application.h"
#include "profiler/driver.h"
#include "profiler/serve/daemon.h"
#include "profiler/serve/drivers_folder.h"
#include "profiler/serve/serve_options.h"
#include "profiler/serve/served_devices.h"
#include "profiler/serve/socket_folder.h"
#include "profiler/settings/variables.h"

namespace {

using namespace skmd::profiler;
namespace fs = std::filesystem;

void complain(const std::string& text) { std::fprintf(stderr, "skmd-serve: %s\n", text.c_str()); }

int refused(const std::string& text) {
  complain(text);
  return kOwnFailure;
}

/// The engine's files, beside the folder of the running executable as in a build tree, a bundle or the package.
struct Engine {
  std::string daemon, client;
};

std::string missing_file(Engine& engine) {
  std::error_code error;
  const fs::path root = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  engine = {(root / "libexec/skmd/pocld").string(), (root / "lib/skmd/libpocl-remote.so").string()};
  for (const std::string& file : {engine.daemon, engine.client})
    if (error || !fs::exists(file, error)) return file;
  return "";
}

std::vector<std::string> daemon_command(const std::string& program, const ListenAddress& address) {
  if (!address.folder.empty()) return {program, "-a", address.text()};
  return {program, "-a", address.host, "-p", std::to_string(address.port)};
}

int serve(const ServeOptions& options) {
  Engine engine;
  if (const std::string file = missing_file(engine); !file.empty())
    return refused(file + " is not there; scripts/remote-engine.sh builds it");
  const std::string driver = find_driver();
  if (driver.empty() && !options.each) return refused("libskmd.so is not in the lib folder beside this command's own");
  const PrivateFolder folders;
  if (!folders.exists()) return refused("cannot make a folder in " + fs::temp_directory_path().string());
  const Environment outer = current_environment();
  Vendors vendors = vendors_of(outer);
  if (vendors.folder.empty()) vendors.folder = folders.icd_folder("vendors", vendors.icd_line);
  Icd drivers;
  if (options.each) {
    drivers.folder = folders.folder("drivers");
    const auto named = outer.find(skmd::settings::kVendors.name);
    const auto libraries = copy_real_drivers(named != outer.end() ? named->second : vendors.folder, drivers.folder);
    if (!libraries) return refused(libraries.error().reason);
    if (libraries->empty()) return refused("there is no driver to serve in " + vendors.folder);
    for (const std::string& library : *libraries) drivers.library += (drivers.library.empty() ? "" : ":") + library;
  } else {
    drivers = {folders.icd_folder("drivers", driver), driver};
  }
  adopt(daemon_environment(outer, options, drivers, vendors.folder));
  if (!options.each)
    if (const std::string error = platform_error(driver); !error.empty()) return refused(error);
  offer_fallback_libraries(fs::path(engine.client).parent_path().string());

  // Last, since a signal that ends this process before keep_alive() would leave the folder.
  SocketFolder sockets;
  const std::string& socket_folder = options.address.folder;
  if (const auto status = socket_folder.empty() ? can_listen(options.address) : sockets.make(socket_folder); !status)
    return refused(status.error().reason);
  Daemon daemon;
  daemon.command = daemon_command(engine.daemon, options.address);
  daemon.until_eof = options.until_eof;
  daemon.address = options.address;
  daemon.devices = [&] { return served_devices(engine.client, options.address.local_text()); };
  daemon.serving = [&](int devices) {
    std::printf("serving %d devices on %s\n", devices, options.address.text().c_str());
    std::fflush(stdout);
  };
  daemon.complain = complain;
  return keep_alive(daemon);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ServeOptions options;
    if (const auto end = parse_serve_options({argv + 1, argv + argc}, options)) {
      std::fputs(end->text.c_str(), end->status == 0 ? stdout : stderr);
      return end->status;
    }
    return serve(options);
  } catch (const std::exception& error) {
    return refused(error.what());
  }
}
