// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/users.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/running_constants.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skmd::icd {
namespace {

using namespace tuning;

std::vector<RootUsage::Share> shares_of(const Machine& machine, const Decision& decision, std::size_t root) {
  std::vector<RootUsage::Share> shares;
  bool any_apart = false;
  for (const SliceWork& slice : decision.slices) {
    const domain::RangeSet& needed = slice.touches->needed[root];
    const bool apart = machine.devices[slice.device]->description().space != domain::kHostSpace;
    any_apart = any_apart || apart;
    if (!needed.empty() && needed.ranges().size() <= kMaxShareRanges) shares.push_back({slice.device, needed});
  }
  return any_apart ? shares : std::vector<RootUsage::Share>();
}

}  // namespace

void tell_users(const Machine& machine, const LaunchView& view, const Decision& decision) {
  std::optional<std::uint32_t> user;
  const auto largest =
      std::max_element(decision.slices.begin(), decision.slices.end(),
                       [](const SliceWork& a, const SliceWork& b) { return a.span.size() < b.span.size(); });
  const bool alone = decision.slices.size() == 1 || decision.exploring;
  if (alone && machine.devices[largest->device]->description().space != domain::kHostSpace) user = largest->device;
  const std::uint64_t tick = machine.memory.tick();
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    Storage& root = *view.roots()[r];
    for (const SliceWork& slice : decision.slices) {
      root.used(slice.device, tick);
      if (root.host_was_touched() || space_of(machine, slice.device) != domain::kHostSpace) continue;
      root.note_touched(slice.touches->needed[r]);
      root.note_touched(slice.touches->roots[r].may_write);
    }
    root.usage().launched_on(largest->device, tick);
    if (!root.usage().launched()) continue;
    root.usage().used_on(user);
    if (decision.slices.size() > 1)
      root.usage().shared_by(shares_of(machine, decision, r));
    else if (!user)
      root.usage().used_in_host_memory();
  }
}

}  // namespace skmd::icd
