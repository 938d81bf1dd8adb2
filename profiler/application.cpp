// SPDX-License-Identifier: Apache-2.0
#include "profiler/application.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiler/driver.h"
#include "profiler/settings/host_list.h"
#include "profiler/settings/variables.h"
#include "profiler/slurm_job.h"
#include "profiler/ssh_hosts.h"

namespace skmd::profiler {

namespace fs = std::filesystem;

Environment current_environment() {
  Environment result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

void adopt(const Environment& environment) {
  clearenv();
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
}

// Bundles bring libraries that a system may lack, OpenCL's loader first of all. The system's own go first.
void offer_fallback_libraries(const std::string& driver) {
  const fs::path folder = fs::path(driver).parent_path() / "fallback";
  if (!fs::is_directory(folder)) return;
  if (void* loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    dlclose(loader);
    return;
  }
  const char* before = getenv("LD_LIBRARY_PATH");
  const std::string path = (before != nullptr && *before != 0 ? before + std::string(":") : "") + folder.string();
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
}

namespace {

ApplicationEnd refused(const std::string& reason) { return {kOwnFailure, reason, {}, {}}; }

/// "": it cannot be had.
std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

/// The other machines by SKMD_HOSTS, which an option may have set, with a SLURM job's nodes.
domain::Result<std::vector<settings::Host>> hosts_of(const RunOptions& options, const Environment& environment,
                                                     const std::string& list) {
  const settings::Variable& variable = settings::kHosts;
  const char* const argument = options.variables.contains(variable.name) ? variable.option : variable.name;
  auto hosts = settings::parse_hosts(argument, list);
  if (!hosts ||
      std::none_of(hosts->begin(), hosts->end(), [](const settings::Host& one) { return one.nodes_port > 0; }))
    return hosts;
  return with_slurm_nodes(argument, *hosts, slurm_job(environment, host_name()));
}

}  // namespace

PrivateFolder::PrivateFolder() {
  std::string name = (fs::temp_directory_path() / "skmd-run-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string PrivateFolder::folder(const char* name) const {
  fs::create_directories(fs::path(path_) / name);
  return (fs::path(path_) / name).string();
}

std::string PrivateFolder::icd_folder(const char* name, const std::string& library) const {
  std::string made = folder(name);
  std::ofstream(made + "/skmd.icd") << library << '\n';
  return made;
}

ApplicationEnd run_application(const RunOptions& options, const PrivateFolder& folders, const HeldSignals& signals) {
  const std::string driver = find_driver();
  if (driver.empty()) return refused("libskmd.so is not in the lib folder beside this command's own");
  if (!folders.exists()) return refused("cannot make a folder in " + fs::temp_directory_path().string());
  const Environment outer = current_environment();
  Vendors vendors = vendors_of(outer);
  if (vendors.folder.empty()) vendors.folder = folders.icd_folder("vendors", vendors.icd_line);
  ApplicationEnd end;
  end.counters = folders.folder("counters");
  end.environment = application_environment(outer, options, {folders.icd_folder("icd", driver), driver}, vendors.folder,
                                            end.counters);
  adopt(end.environment);

  const auto given = [&](const settings::Variable& which) {
    const auto found = end.environment.find(which.name);
    return found == end.environment.end() ? std::string() : found->second;
  };
  auto hosts = hosts_of(options, outer, given(settings::kHosts));
  if (!hosts) return refused(hosts.error().reason);
  SshHosts connections;
  if (const auto status = connections.reach(*hosts, given(settings::kSsh), signals.descriptor()); !status)
    return refused(status.error().reason);
  if (!given(settings::kHosts).empty()) {  // a job of one node makes an empty list of `slurm`
    end.environment[settings::kHosts.name] = settings::text_of(*hosts);
    adopt(end.environment);
  }
  // An application whose platform is missing says so in many ways, seldom why: settings are tried first.
  const auto is_set = [&](const settings::Variable& which) { return end.environment.contains(which.name); };
  if (is_set(settings::kDevices) || is_set(settings::kPartition) || is_set(settings::kDeviceType) ||
      is_set(settings::kProfileSpans) || options.variables.contains(settings::kVendors.name))
    if (const std::string error = platform_error(driver, &signals); !error.empty()) return refused(error);
  offer_fallback_libraries(driver);
  if (signals.came()) return refused("ended by a signal before the application started");
  ChildResult child = run_child(options.command, &signals.before());
  end.status = child.status;
  if (!child.failure.empty()) end.failure = "cannot run '" + options.command.front() + "': " + child.failure;
  return end;
}

}  // namespace skmd::profiler
