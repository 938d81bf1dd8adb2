// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/users.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skmd::icd {
namespace {

/// For large writes, which seldom come between launches; rows of which each device takes a part are not worth it.
void tell_shares(const Machine& machine, const LaunchView& view, const Decision& decision) {
  constexpr std::size_t kMostRanges = 4;
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    std::vector<Storage::Share> shares;
    for (const SliceWork& slice : decision.slices) {
      const domain::RangeSet& needed = slice.touches->needed[r];
      const bool apart = machine.devices[slice.device]->description().space != domain::kHostSpace;
      if (apart && !needed.empty() && needed.ranges().size() <= kMostRanges) shares.push_back({slice.device, needed});
    }
    view.roots()[r]->shared_by(std::move(shares));
  }
}

}  // namespace

void tell_users(const Machine& machine, const LaunchView& view, const Decision& decision) {
  std::optional<std::uint32_t> user;
  const auto largest =
      std::max_element(decision.slices.begin(), decision.slices.end(),
                       [](const SliceWork& a, const SliceWork& b) { return a.span.size() < b.span.size(); });
  const bool alone = decision.slices.size() == 1 || decision.exploring;
  if (alone && machine.devices[largest->device]->description().space != domain::kHostSpace) user = largest->device;
  for (const auto& root : view.roots()) root->used_on(user);
  if (decision.slices.size() > 1) tell_shares(machine, view, decision);
}

}  // namespace skmd::icd
