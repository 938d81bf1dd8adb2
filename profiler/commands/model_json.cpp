// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/model_json.h"

namespace skmd::profiler {

nlohmann::json model_json(const domain::SampleGroup& group, domain::ModelKind kind, const domain::Bounds& bounds) {
  std::vector<domain::Point> points;
  for (const domain::ProfileSample* sample : group.samples) points.push_back(domain::point_of(*sample));
  const auto model = domain::fit(points, {kind, group.device.units, bounds});
  if (!model) return nullptr;
  nlohmann::json terms = nlohmann::json::array();
  for (const domain::FittedTerm& term : model->terms)
    terms.push_back({{"term", domain::name_of(term.term)}, {"coefficient", term.coefficient}});
  return {{"kind", domain::name_of(kind)},
          {"terms", terms},
          {"error", model->error},
          {"data_decides", model->data_decides}};
}

}  // namespace skmd::profiler
