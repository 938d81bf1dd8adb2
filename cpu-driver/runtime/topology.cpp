// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/topology.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace skmd::cpu {

namespace {

// A cache may be shared by less than a node, or reach over several where the system divides it: both count.
using Neighbourhood = std::pair<unsigned, unsigned>;

/// One for each core, ascending: where it is.
std::map<unsigned, Neighbourhood> cores_of(const Topology& facts) {
  std::map<unsigned, Neighbourhood> cores;
  for (const Processor& processor : facts.usable) cores.try_emplace(processor.core, processor.node, processor.cache);
  return cores;
}

unsigned fed_by(double quota) {
  constexpr double kMax = 1e6;  // more processors than there are
  return static_cast<unsigned>(std::ceil(std::clamp(quota, 1.0, kMax)));
}

}  // namespace

ThreadPlan plan_threads(const Topology& facts, unsigned wanted) {
  const std::map<unsigned, Neighbourhood> cores = cores_of(facts);
  const auto count = std::max(1u, static_cast<unsigned>(cores.size()));
  ThreadPlan plan;
  plan.threads = wanted != 0 ? wanted : facts.quota > 0 ? std::min(count, fed_by(facts.quota)) : count;
  if (facts.restricted || plan.threads != count) return plan;

  std::map<Neighbourhood, std::vector<unsigned>> neighbours;
  for (const Processor& processor : facts.usable) neighbours[{processor.node, processor.cache}].push_back(processor.id);
  if (neighbours.size() < 2) return plan;
  // The caller's thread stays where it is, and the system gives it the core that is left.
  for (auto core = std::next(cores.begin()); core != cores.end(); ++core)
    plan.places.push_back(neighbours.at(core->second));
  return plan;
}

}  // namespace skmd::cpu
