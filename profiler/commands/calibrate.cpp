// SPDX-License-Identifier: Apache-2.0
// skmd-profile calibrate: measures devices and links with kernels and transfers of its own, and keeps the results.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "profiler/commands/calibrated.h"
#include "profiler/commands/command.h"
#include "profiler/commands/commands_constants.h"
#include "profiler/commands/progress.h"
#include "profiler/database/calibration_text.h"
#include "profiler/database/commit.h"
#include "profiler/driver.h"
#include "profiler/settings/variables.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::Result;
using nlohmann::json;

struct Options {
  bool quick = false;
  std::string devices;
};

/// What the driver should not take from the environment: this process is not the application.
void prepare_environment(const Options& options) {
  for (const settings::Variable& variable :
       {settings::kStats, settings::kStatsShm, settings::kTrace, settings::kPartition, settings::kCheck})
    unsetenv(variable.name);
  setenv(settings::kProfileDb.name, "off", 1);
  if (!options.devices.empty()) setenv(settings::kDevices.name, options.devices.c_str(), 1);
}

Result<Calibrations> calibrations_of(const json& answer) {
  const std::string host = host_here();
  const auto date = static_cast<std::int64_t>(std::time(nullptr));
  Calibrations all;
  for (const json& object : answer.value("devices", json::array())) {
    auto device = device_calibration_of(object);
    if (!device) return Error{-1, "the driver's answer: " + device.error().reason};
    device->commit = commit();
    device->date = date;
    all.devices.push_back(std::move(*device));
  }
  for (const json& object : answer.value("links", json::array())) {
    auto link = link_calibration_of(object);
    if (!link) return Error{-1, "the driver's answer: " + link.error().reason};
    link->host = host;
    link->commit = commit();
    link->date = date;
    all.links.push_back(std::move(*link));
  }
  return all;
}

/// Those of the others with which a device shares the host's cores.
json shares_cores_with(const Calibrations& all, const domain::DeviceCalibration& device) {
  json names = json::array();
  for (const auto& other : all.devices)
    if (device.host_cores && other.host_cores && other.device != device.device) names.push_back(other.device.name);
  return names;
}

json document_of(const Calibrations& all, const json& problems, const std::string& file) {
  json devices = json::array(), links = json::array();
  for (const auto& device : all.devices) {
    devices.push_back(device_document(device));
    devices.back()["shares_cores_with"] = shares_cores_with(all, device);
  }
  for (const auto& link : all.links) links.push_back(link_document(link));
  return {{"version", 1}, {"file", file}, {"devices", devices}, {"links", links}, {"problems", problems}};
}

/// Measures, with a progress bar.
std::optional<json> measure(const ProfileOptions& general, double seconds, std::string& reason) {
  const std::string driver = find_driver();
  if (driver.empty()) {
    reason = "libskmd.so is not in ../lib beside the folder of skmd-profile: run it from where it was installed";
    return std::nullopt;
  }
  Progress bar(!general.no_progress);
  const auto begin = std::chrono::steady_clock::now();
  return calibrate(
      driver, seconds,
      [&](double part, const std::string& what) {
        const double gone = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        bar.show(part, what, std::max(0.0, seconds - gone));
      },
      reason);
}

int run(const ProfileOptions& general, const Options& options) {
  // First: what cannot be kept need not be measured.
  const auto path = database_path(general);
  if (!path) return fail(general, path.error().reason);
  if (auto database = open_database(general, ProfileDatabase::Mode::create); !database)
    return fail(general, database.error().reason);
  prepare_environment(options);
  std::string reason;
  const auto answer = measure(general, options.quick ? tuning::kQuickCalibration : tuning::kCalibration, reason);
  if (!answer) return fail(general, reason);
  const json problems = answer->value("problems", json::array());
  for (const json& problem : problems) std::fprintf(stderr, "skmd-profile: %s\n", problem.get<std::string>().c_str());
  const auto all = calibrations_of(*answer);
  if (!all) return fail(general, all.error().reason);
  if (all->devices.empty()) return fail(general, "no device could be measured");
  auto database = ProfileDatabase::open(*path, ProfileDatabase::Mode::existing);
  if (!database) return fail(general, database.error().reason);
  if (const auto kept = database->add(*all); !kept) return fail(general, kept.error().reason);
  if (general.as_json)
    print(document_of(*all, problems, path->string()));
  else
    std::printf("%skept in %s\n", text_of(*all).c_str(), path->string().c_str());
  return kDone;
}

}  // namespace

std::function<int()> make_calibrate(CLI::App& app, const ProfileOptions& general) {
  app.description("measures devices and links, and keeps what was measured in the database");
  const auto options = std::make_shared<Options>();
  app.add_flag("--quick", options->quick, "in 5 seconds instead of 30");
  app.add_option("--devices", options->devices, "these devices, as skmd-run's --devices names them");
  return [&general, options] { return run(general, *options); };
}

}  // namespace skmd::profiler
