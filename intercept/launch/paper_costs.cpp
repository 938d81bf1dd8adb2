// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/paper_costs.h"

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_costs.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

domain::PaperCosts paper_costs(const Machine& machine, const Launch& launch, const LaunchView& view) {
  domain::PaperCosts costs;
  costs.contiguous = launch.kernel->traits().access == domain::AccessClass::contiguous;
  const SpanFootprint& touched = *view.shape().whole();
  for (std::size_t r = 0; r < touched.roots.size(); ++r) {
    const std::uint64_t bytes = view.roots()[r]->bytes();
    if (!touched.needed[r].empty()) costs.bytes_in += bytes;
    if (!touched.roots[r].may_write.empty()) costs.bytes_out += bytes;
  }
  costs.join_seconds = static_cast<double>(costs.bytes_out) * kMergeCosts.diff.per_joined;
  for (const auto& device : machine.devices)
    costs.external.push_back(device->description().space != domain::kHostSpace);
  return costs;
}

}  // namespace skmd::icd
