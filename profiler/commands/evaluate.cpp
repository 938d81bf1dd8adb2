// SPDX-License-Identifier: Apache-2.0
// skmd-profile evaluate: models fitted to the samples of some tags, scored on those of others.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "partitioner/model/evaluation.h"
#include "profiler/commands/calibrated.h"
#include "profiler/commands/command.h"

namespace skmd::profiler {
namespace {

using nlohmann::json;

struct Options {
  std::string train, test;
  bool points = false;
};

/// [groups, groups of the launch, measured, predicted, low, high], seconds.
json points_json(const domain::KernelScore& kernel) {
  json points = json::array();
  for (const domain::TestedSpan& span : kernel.spans)
    points.push_back({span.groups, span.launch_groups, span.measured, span.predicted.seconds, span.predicted.low,
                      span.predicted.high});
  return points;
}

json document_of(const domain::Evaluation& evaluation, bool points) {
  json devices = json::array(), kernels = json::array();
  for (const auto& device : evaluation.devices)
    devices.push_back({{"device", device.device.name},
                       {"points", device.accuracy.points},
                       {"median", device.accuracy.median},
                       {"p90", device.accuracy.p90},
                       {"coverage80", device.accuracy.coverage80}});
  for (const auto& kernel : evaluation.kernels) {
    kernels.push_back({{"name", kernel.kernel.name},
                       {"program", kernel.kernel.program},
                       {"device", kernel.device.name},
                       {"train", kernel.train},
                       {"test", kernel.accuracy.points},
                       {"median", kernel.accuracy.median},
                       {"p90", kernel.accuracy.p90},
                       {"l2_seconds", kernel.l2_seconds},
                       {"coverage80", kernel.accuracy.coverage80},
                       {"models", {{"paper", kernel.paper_median}, {"rate", kernel.rate_median}}}});
    if (points) kernels.back()["points"] = points_json(kernel);
  }
  return {{"version", 1}, {"devices", devices}, {"kernels", kernels}};
}

/// What is wrong with the tags; "": each is that of a sample.
domain::Result<std::string> unknown_tag(const ProfileDatabase& database, const SampleFilter& train,
                                        const SampleFilter& test) {
  const auto tags = database.tags();
  if (!tags) return tags.error();
  for (const SampleFilter* filter : {&train, &test})
    for (const std::string& tag : filter->tags)
      if (std::find(tags->begin(), tags->end(), tag) == tags->end())
        return unknown("tag", tag, *tags) + " (skmd-profile show --samples lists the tags)";
  return std::string();
}

int run(const ProfileOptions& general, const Options& options) {
  const auto database = open_database(general, ProfileDatabase::Mode::read_only);
  if (!database) return fail(general, database.error().reason);
  SampleFilter train, test;
  train.tags = parts_of(options.train);
  test.tags = parts_of(options.test);
  if (train.tags.empty() || test.tags.empty()) {
    std::fprintf(stderr,
                 "skmd-profile: --train and --test need a tag each, as in --train profile1,profile2 --test paper\n");
    return kBadUsage;
  }
  const auto wrong = unknown_tag(*database, train, test);
  if (!wrong) return fail(general, wrong.error().reason);
  if (!wrong->empty()) return fail(general, *wrong);
  const auto known = database->samples(train), asked = database->samples(test);
  if (!known) return fail(general, known.error().reason);
  if (!asked) return fail(general, asked.error().reason);
  auto bounds = stored_bounds(*database);
  if (!bounds) return fail(general, bounds.error().reason);
  domain::EvaluationOptions how;
  how.bounds = std::move(*bounds);
  const domain::Evaluation evaluation = domain::evaluate(*known, *asked, how);
  if (evaluation.kernels.empty())
    return fail(general, "no kernel has samples of " + options.train + " (" + std::to_string(known->size()) +
                             ") and of " + options.test + " (" + std::to_string(asked->size()) +
                             ") on one device: skmd-profile show --samples lists the tags");
  if (general.as_json) {
    print(document_of(evaluation, options.points));
    return kDone;
  }
  for (const auto& kernel : evaluation.kernels)
    std::printf(
        "%s on %s: %.1f %% in the median, %.1f %% at the 90th percentile of %zu spans (paper's form %.3g %%, rate %.3g "
        "%%)\n",
        kernel.kernel.name.c_str(), kernel.device.name.c_str(), 100 * kernel.accuracy.median, 100 * kernel.accuracy.p90,
        kernel.accuracy.points, 100 * kernel.paper_median, 100 * kernel.rate_median);
  for (const auto& device : evaluation.devices)
    std::printf("%s: %.1f %% in the median of %zu spans, %.0f %% of them inside their band\n",
                device.device.name.c_str(), 100 * device.accuracy.median, device.accuracy.points,
                100 * device.accuracy.coverage80);
  return kDone;
}

}  // namespace

std::function<int()> make_evaluate(CLI::App& app, const ProfileOptions& general) {
  app.description("fits to the samples of some tags and scores the predictions for others");
  const auto options = std::make_shared<Options>();
  app.add_option("--train", options->train, "tags to fit to, separated by commas")->required();
  app.add_option("--test", options->test, "tags to predict")->required();
  app.add_flag("--points", options->points, "with --json, every tested span, too");
  return [&general, options] { return run(general, *options); };
}

}  // namespace skmd::profiler
