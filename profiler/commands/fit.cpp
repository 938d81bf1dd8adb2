// SPDX-License-Identifier: Apache-2.0
// skmd-profile fit: the terms of each kernel's times on each device.
#include <cstdio>
#include <memory>

#include "profiler/commands/calibrated.h"
#include "profiler/commands/command.h"
#include "profiler/commands/model_json.h"

namespace skmd::profiler {
namespace {

using nlohmann::json;

int run(const ProfileOptions& general, const std::string& name) {
  const auto kind = domain::parse_model_kind(name);
  if (!kind) {
    const std::string near = nearest(name, {"arctan", "paper", "rate"});
    std::fprintf(stderr, "skmd-profile: --model: %s%s\n", kind.error().reason.c_str(),
                 near.empty() ? "" : (": is \"" + near + "\" meant?").c_str());
    return kBadUsage;
  }
  const auto database = open_database(general, ProfileDatabase::Mode::read_only);
  if (!database) return fail(general, database.error().reason);
  const auto samples = database->samples();
  if (!samples) return fail(general, samples.error().reason);
  const auto bounds = stored_bounds(*database);
  if (!bounds) return fail(general, bounds.error().reason);
  json kernels = json::array();
  for (const domain::SampleGroup& group : domain::grouped(*samples))
    kernels.push_back({{"name", group.kernel.name},
                       {"program", group.kernel.program},
                       {"form", group.kernel.form},
                       {"device", group.device.name},
                       {"samples", group.samples.size()},
                       {"model", model_json(group, *kind, (*bounds)(group.device))}});
  if (kernels.empty()) return fail(general, "there are no samples to fit to: take some in with skmd-profile import");
  if (general.as_json) {
    print({{"version", 1}, {"kernels", kernels}});
    return kDone;
  }
  for (const json& kernel : kernels) {
    std::printf("%s on %s (%zu samples), error %.1f %%\n", kernel["name"].get<std::string>().c_str(),
                kernel["device"].get<std::string>().c_str(), kernel["samples"].get<std::size_t>(),
                kernel["model"].is_null() ? 0.0 : 100 * kernel["model"]["error"].get<double>());
    if (kernel["model"].is_null()) continue;
    if (kernel["model"]["data_decides"].get<bool>())
      std::printf("  a rate with a wide band: values in memory decide how long a group works\n");
    for (const json& term : kernel["model"]["terms"])
      std::printf("  %12.4g s * %s\n", term["coefficient"].get<double>(), term["term"].get<std::string>().c_str());
  }
  return kDone;
}

}  // namespace

std::function<int()> make_fit(CLI::App& app, const ProfileOptions& general) {
  app.description("shows the terms that make up each kernel's times on each device, with their error");
  const auto kind = std::make_shared<std::string>("arctan");
  app.add_option("--model", *kind, "arctan (default), paper or rate");
  return [&general, kind] { return run(general, *kind); };
}

}  // namespace skmd::profiler
