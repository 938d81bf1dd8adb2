// SPDX-License-Identifier: Apache-2.0
// skmd-profile prune and check.
#include <cstdio>
#include <ctime>
#include <memory>

#include "profiler/commands/command.h"

namespace skmd::profiler {
namespace {

using Mode = ProfileDatabase::Mode;
using nlohmann::json;

constexpr std::int64_t kSecondsOfADay = 86400;  // without leap seconds, as in time_t

struct Pruning {
  std::int64_t days = -1;
  std::string kernel, device;
};

/// "" where the filter's names are in the database.
std::string unknown_name(const std::vector<KernelOnDevice>& contents, const Calibrations& calibrations,
                         const Pruning& options) {
  std::vector<std::string> kernels, devices;
  bool kernel = options.kernel.empty(), device = options.device.empty();
  for (const KernelOnDevice& entry : contents) {
    kernels.push_back(entry.kernel.name);
    devices.push_back(entry.device.name);
    kernel = kernel || entry.kernel.name == options.kernel;
    device = device || entry.device.name == options.device;
  }
  const auto note = [&](const auto& list) {
    for (const auto& one : list) {
      devices.push_back(one.device.name);
      device = device || one.device.name == options.device;
    }
  };
  note(calibrations.devices);
  note(calibrations.links);
  if (!kernel) return unknown("kernel", options.kernel, kernels);
  return device ? "" : unknown("device", options.device, devices);
}

int prune(const ProfileOptions& general, const Pruning& options) {
  if (options.days < 0 && options.kernel.empty() && options.device.empty()) {
    std::fprintf(stderr, "skmd-profile: prune needs --older DAYS, --kernel K or --device D: it would leave nothing\n");
    return kBadUsage;
  }
  auto database = open_database(general, Mode::existing);
  if (!database) return fail(general, database.error().reason);
  const auto contents = database->contents();
  if (!contents) return fail(general, contents.error().reason);
  const auto calibrations = database->calibrations();
  if (!calibrations) return fail(general, calibrations.error().reason);
  if (const std::string name = unknown_name(*contents, *calibrations, options); !name.empty())
    return fail(general, name);
  SampleFilter filter;
  filter.kernel = options.kernel;
  filter.device = options.device;
  if (options.days >= 0) filter.before = static_cast<std::int64_t>(std::time(nullptr)) - options.days * kSecondsOfADay;
  const auto gone = database->prune(filter);
  if (!gone) return fail(general, gone.error().reason);
  if (general.as_json)
    print({{"version", 1}, {"removed", *gone}});
  else
    std::printf("%zu samples and calibrations removed\n", *gone);
  return kDone;
}

int check(const ProfileOptions& general, bool repair) {
  auto database = open_database(general, repair ? Mode::existing : Mode::read_only);
  if (!database) return fail(general, database.error().reason);
  auto wrong = database->check();
  if (!wrong) return fail(general, wrong.error().reason);
  std::size_t removed = 0;
  if (repair && !wrong->empty()) {
    for (const std::string& problem : *wrong) std::fprintf(stderr, "skmd-profile: was wrong: %s\n", problem.c_str());
    const auto done = database->repair();
    if (!done) return fail(general, done.error().reason);
    removed = *done;
    wrong = database->check();
    if (!wrong) return fail(general, wrong.error().reason);
  }
  if (general.as_json)
    print({{"version", 1},
           {"clean", wrong->empty()},
           {"problems", *wrong},
           {"removed", removed},
           {"notice", database->notice()}});
  else if (wrong->empty())
    std::printf(removed == 0 ? "clean\n" : "clean, after %zu samples and calibrations were removed\n", removed);
  for (const std::string& problem : *wrong) std::fprintf(stderr, "skmd-profile: %s\n", problem.c_str());
  if (!wrong->empty() && !repair)
    std::fprintf(stderr, "skmd-profile: skmd-profile check --repair removes what is wrong\n");
  return wrong->empty() ? kDone : kNotMet;
}

}  // namespace

std::function<int()> make_prune(CLI::App& app, const ProfileOptions& general) {
  app.description("removes samples, and without --kernel calibrations; conditions are joined by and");
  const auto options = std::make_shared<Pruning>();
  app.add_option("--older", options->days, "of so many days and more")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{36500}));
  app.add_option("--kernel", options->kernel, "of this kernel");
  app.add_option("--device", options->device, "of this device");
  return [&general, options] { return prune(general, *options); };
}

std::function<int()> make_check(CLI::App& app, const ProfileOptions& general) {
  app.description("looks at every page and sample of the database");
  const auto repair = std::make_shared<bool>(false);
  app.add_flag("--repair", *repair,
               "remove samples that are wrong; keep a damaged file under another name and begin anew");
  return [&general, repair] { return check(general, *repair); };
}

}  // namespace skmd::profiler
