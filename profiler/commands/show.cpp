// SPDX-License-Identifier: Apache-2.0
// skmd-profile show: what the database knows.
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "partitioner/model/evaluation.h"
#include "profiler/commands/calibrated.h"
#include "profiler/commands/command.h"
#include "profiler/commands/model_json.h"
#include "profiler/commands/plot.h"
#include "profiler/database/former_names.h"
#include "profiler/database/sample_text.h"
#include "profiler/driver.h"

namespace skmd::profiler {
namespace {

using nlohmann::json;

struct Options {
  std::string kernel;
  bool samples = false;
  std::string plot;
};

/// Names of the real devices; none where the driver offers nothing.
std::set<std::string> devices_here() {
  std::set<std::string> names;
  const std::string driver = find_driver();
  std::string reason;
  const auto document = driver.empty() ? std::nullopt : describe(driver, reason);
  if (!document || !document->contains("devices")) return names;
  for (const json& device : (*document)["devices"])
    if (device.contains("name") && device["name"].is_string()) {
      const auto name = device["name"].get<std::string>();
      const bool ours = device.value("backend", "") == "cpu-driver";
      names.insert(ours ? todays({"SKMD", name, "", 0}).name : name);
    }
  return names;
}

json device_json(const domain::DeviceKey& key, const std::string& origin, bool here) {
  return {{"platform", key.platform}, {"name", key.name}, {"driver", key.driver},
          {"units", key.units},       {"origin", origin}, {"here", here}};
}

/// What is known of devices and links, from what counts most on.
constexpr std::array kOrigins = {"measured", "imported", "shipped"};

/// What the database knows, as far as it is shown.
struct Contents {
  std::vector<KernelOnDevice> kernels;
  std::vector<domain::ProfileSample> samples;
  std::array<Calibrations, kOrigins.size()> calibrations;  // by origin
  BoundsOf bounds;
  std::int64_t schema = kSchemaVersion;
};

/// Devices of samples and of calibrations, each with what was calibrated or null.
json device_list(const Contents& contents, std::map<domain::DeviceKey, std::string> origins) {
  std::map<domain::DeviceKey, json> calibrated;
  for (std::size_t i = 0; i < kOrigins.size(); ++i)
    for (const auto& device : contents.calibrations[i].devices) {
      calibrated.emplace(device.device, device_document(device)["calibration"]);
      origins.emplace(device.device, kOrigins[i]);
    }
  const std::set<std::string> here = devices_here();
  json list = json::array();
  for (const auto& [key, origin] : origins) {
    list.push_back(device_json(key, origin, here.contains(key.name)));
    const auto calibration = calibrated.find(key);
    list.back()["calibration"] = calibration == calibrated.end() ? json() : calibration->second;
  }
  return list;
}

json link_list(const Contents& contents) {
  json list = json::array();
  for (std::size_t i = 0; i < kOrigins.size(); ++i)
    for (const auto& link : contents.calibrations[i].links) {
      list.push_back(link_document(link));
      list.back()["origin"] = kOrigins[i];
    }
  return list;
}

json document_of(const ProfileDatabase& database, const std::filesystem::path& file, const Contents& contents) {
  std::map<std::pair<domain::KernelKey, domain::DeviceKey>, json> models;
  for (const domain::SampleGroup& group : domain::grouped(contents.samples))
    models[{group.kernel, group.device}] = model_json(group, domain::ModelKind::arctan, contents.bounds(group.device));
  std::map<domain::DeviceKey, std::string> devices;
  json kernels = json::array();
  for (const KernelOnDevice& entry : contents.kernels) {
    if (!entry.origin.empty()) {  // "": its samples were removed
      std::string& origin = devices[entry.device];
      if (origin != "measured") origin = entry.origin;
    }
    const bool same = !kernels.empty() && kernels.back()["name"] == entry.kernel.name &&
                      kernels.back()["program"] == entry.kernel.program;
    if (!same)
      kernels.push_back({{"name", entry.kernel.name}, {"program", entry.kernel.program}, {"devices", json::array()}});
    const auto model = models.find({entry.kernel, entry.device});
    kernels.back()["devices"].push_back({{"device", entry.device.name},
                                         {"form", entry.kernel.form},
                                         {"samples", entry.samples},
                                         {"seen", entry.seen},
                                         {"sizes", entry.sizes},
                                         {"model", model == models.end() ? json() : model->second}});
  }
  return {{"version", 1},
          {"file", file.string()},
          {"schema", contents.schema},
          {"bytes", database.bytes()},
          {"devices", device_list(contents, std::move(devices))},
          {"links", link_list(contents)},
          {"kernels", kernels}};
}

std::string error_of(const json& model) {
  return model.is_null() ? ""
                         : ", model's error " + std::to_string(std::lround(100 * model["error"].get<double>())) + " %";
}

void print_text(const json& document, const Contents& contents) {
  std::printf("%s: %llu bytes\n", document["file"].get<std::string>().c_str(),
              static_cast<unsigned long long>(document["bytes"].get<std::uint64_t>()));
  for (const json& device : document["devices"])
    std::printf("  device %s, %s, driver %s: %s%s\n", device["name"].get<std::string>().c_str(),
                device["platform"].get<std::string>().c_str(), device["driver"].get<std::string>().c_str(),
                device["origin"].get<std::string>().c_str(), device["here"].get<bool>() ? "" : ", not here");
  for (std::size_t i = 0; i < kOrigins.size(); ++i) {
    const std::string text = text_of(contents.calibrations[i]);
    if (!text.empty()) std::printf("calibration, %s:\n%s", kOrigins[i], text.c_str());
  }
  for (const json& kernel : document["kernels"])
    for (const json& device : kernel["devices"]) {
      std::printf("  kernel %s on %s (%s): %llu samples of %llu sizes, %llu seen%s\n",
                  kernel["name"].get<std::string>().c_str(), device["device"].get<std::string>().c_str(),
                  device["form"].get<std::string>().c_str(),
                  static_cast<unsigned long long>(device["samples"].get<std::uint64_t>()),
                  static_cast<unsigned long long>(device["sizes"].get<std::uint64_t>()),
                  static_cast<unsigned long long>(device["seen"].get<std::uint64_t>()),
                  error_of(device["model"]).c_str());
    }
}

domain::Result<Contents> read_contents(const ProfileDatabase& database, const Options& options) {
  Contents contents;
  auto kernels = database.contents();
  if (!kernels) return kernels.error();
  contents.kernels = std::move(*kernels);
  if (!options.kernel.empty()) {
    std::vector<std::string> names;
    for (const KernelOnDevice& entry : contents.kernels) names.push_back(entry.kernel.name);
    std::erase_if(contents.kernels, [&](const auto& entry) { return entry.kernel.name != options.kernel; });
    if (contents.kernels.empty()) return domain::Error{-1, unknown("kernel", options.kernel, names)};
  }
  SampleFilter filter;
  filter.kernel = options.kernel;
  auto samples = database.samples(filter);
  if (!samples) return samples.error();
  contents.samples = std::move(*samples);
  for (std::size_t i = 0; i < kOrigins.size(); ++i) {
    auto found = database.calibrations(kOrigins[i]);
    if (!found) return found.error();
    contents.calibrations[i] = std::move(*found);
  }
  auto bounds = stored_bounds(database);
  if (!bounds) return bounds.error();
  contents.bounds = std::move(*bounds);
  const auto schema = database.schema();
  if (!schema) return schema.error();
  contents.schema = *schema;
  return contents;
}

int show(const ProfileOptions& general, const Options& options) {
  const auto path = database_path(general);
  if (!path) return fail(general, path.error().reason);
  const auto database = open_database(general, ProfileDatabase::Mode::read_only);
  if (!database) return fail(general, database.error().reason);
  const auto contents = read_contents(*database, options);
  if (!contents) return fail(general, contents.error().reason);
  if (!options.plot.empty()) {
    const json plot = plot_json(contents->samples, contents->bounds);
    if (plot["panels"].empty()) return fail(general, "there are no samples to draw");
    if (const auto drawn = draw(plot, options.plot); !drawn) return fail(general, drawn.error().reason);
  }
  json document = document_of(*database, *path, *contents);
  if (options.samples) {
    document["samples"] = json::array();
    for (const auto& sample : contents->samples) document["samples"].push_back(json::parse(line_of(sample)));
  }
  if (general.as_json) {
    print(document);
    return kDone;
  }
  print_text(document, *contents);
  if (options.samples)
    for (const auto& sample : contents->samples) std::printf("%s\n", line_of(sample).c_str());
  return kDone;
}

}  // namespace

std::function<int()> make_show(CLI::App& app, const ProfileOptions& general) {
  app.description("shows what the database knows");
  const auto options = std::make_shared<Options>();
  app.add_option("KERNEL", options->kernel, "only this kernel");
  app.add_flag("--samples", options->samples, "every sample, too");
  app.add_option("--plot", options->plot, "FILE.svg: draws measured and predicted times, by matplotlib");
  return [&general, options] { return show(general, *options); };
}

}  // namespace skmd::profiler
