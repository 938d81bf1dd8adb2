// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/users.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/running_constants.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "partitioner/residency/transfer.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skmd::icd {
namespace {

using namespace tuning;

/// Whether it can be sent in a few commands. Rows are looked through only of roots that are written for each launch.
bool is_sent_directly(const RootUsage& usage, const domain::RangeSet& needed) {
  const std::size_t ranges = needed.ranges().size();
  if (ranges <= kMaxShareRanges) return ranges != 0;
  return usage.steady() && ranges <= kMaxShareRows && needed.bytes() >= ranges * kLeastShareRow &&
         domain::row_runs(needed).size() <= kMaxShareRanges;
}

std::vector<RootUsage::Share> shares_of(const Machine& machine, const RootUsage& usage, const Decision& decision,
                                        std::size_t root) {
  std::vector<RootUsage::Share> shares;
  bool any_apart = false;
  for (const SliceWork& slice : decision.slices) {
    const domain::RangeSet& needed = slice.touches->needed[root];
    const bool apart = machine.devices[slice.device]->description().space != domain::kHostSpace;
    any_apart = any_apart || apart;
    if (is_sent_directly(usage, needed)) shares.push_back({slice.device, needed});
  }
  return any_apart ? shares : std::vector<RootUsage::Share>();
}

/// Some slice needs bytes of the root.
bool needs(const Decision& decision, std::size_t root) {
  return std::any_of(decision.slices.begin(), decision.slices.end(),
                     [root](const SliceWork& slice) { return !slice.touches->needed[root].empty(); });
}

const SliceWork& main_slice(const Decision& decision) {
  return *std::max_element(decision.slices.begin(), decision.slices.end(),
                           [](const SliceWork& a, const SliceWork& b) { return a.span.size() < b.span.size(); });
}

/// Who will use what the application writes before a launch that is decided like this.
struct Expected {
  std::optional<std::uint32_t> user;  // one device with memory of its own; none: host memory, or several devices
  bool as_before = false;             // who was expected already
};

Expected expected_of(const Machine& machine, const Decision& decision) {
  std::uint64_t groups = 0;
  for (const SliceWork& slice : decision.slices) groups += slice.span.size();
  const SliceWork& main = main_slice(decision);
  const bool alone = static_cast<double>(main.span.size()) >= kMainSlice * static_cast<double>(groups);
  // Several devices share the launch, and others are tried beside them: the former will, and their shares will be about
  // those of the launch before.
  if (decision.exploring && !alone) return {{}, true};
  if (!decision.exploring && decision.slices.size() > 1) return {};
  const bool apart = machine.devices[main.device]->description().space != domain::kHostSpace;
  return {apart ? std::optional(main.device) : std::nullopt};
}

}  // namespace

void tell_users(const Machine& machine, const LaunchView& view, const Decision& decision) {
  const std::uint32_t main = main_slice(decision).device;
  const Decision& next = decision.next != nullptr ? *decision.next : decision;
  const Expected expected = expected_of(machine, next);
  const std::uint64_t tick = machine.memory.tick();
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    Storage& root = *view.roots()[r];
    for (const SliceWork& slice : decision.slices) {
      root.used(slice.device, tick);
      if (root.host_was_touched() || space_of(machine, slice.device) != domain::kHostSpace) continue;
      root.note_touched(slice.touches->needed[r]);
      root.note_touched(slice.touches->roots[r].may_write);
    }
    root.usage().launched_on(main, tick);
    if (!root.usage().launched() || expected.as_before) continue;
    root.usage().used_on(expected.user);
    // One that only writes it does not tell who will need what the application writes next: applications exchange
    // inputs and outputs.
    if (next.slices.size() > 1 && needs(next, r))
      root.usage().shared_by(shares_of(machine, root.usage(), next, r));
    else if (next.slices.size() == 1 && !expected.user)
      root.usage().used_in_host_memory();
  }
}

}  // namespace skmd::icd
