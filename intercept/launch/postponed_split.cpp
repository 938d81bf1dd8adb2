// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/postponed_split.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "intercept/observe/observer.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// The candidate with memory of its own that has all bytes of the launch; null: there is none.
const domain::RoundTimes::Candidate* holder(const Machine& machine, const LaunchView& view, const Decision& split) {
  for (const auto& candidate : split.candidates) {
    const auto device = static_cast<std::uint32_t>(std::countr_zero(candidate.plan));
    if (space_of(machine, device) == domain::kHostSpace || !view.shape().eligible().eligible[device]) continue;
    if (recurring_bytes_missing(machine, view, device, view.whole()) == 0 && bytes_awaited(machine, view, device) == 0)
      return &candidate;
  }
  return nullptr;
}

/// Seconds that `bytes` take from one device to host memory and on to another, over links of which one transfer or none
/// was seen at the rate that is assumed. Pages of host memory that were never touched are made.
double moving_seconds(const Machine& machine, const LaunchView& view, std::uint32_t from, std::uint32_t to,
                      std::uint64_t bytes) {
  const LinkRates& links = LinkRates::get();
  const LinkRate up = links.of(to), down = links.of(from);
  const auto moved = static_cast<double>(bytes);
  double seconds = moved / (down.from_told >= kSettledTransfers ? *down.from : links.assumed(from));
  if (space_of(machine, to) != domain::kHostSpace)
    seconds += moved / (up.to_told >= kSettledTransfers ? *up.to : links.assumed(to));
  return seconds + std::min(moved * kTouchSeconds, first_touch_seconds(view));
}

}  // namespace

std::shared_ptr<const Decision> postponed(const Machine& machine, const Launch& launch, const LaunchView& view,
                                          std::shared_ptr<const Decision> split) {
  DecisionMemory& memory = view.shape().decisions();
  // Looked at once, since that reads what all devices have.
  const bool apart = split->slices.size() == 1 && space_of(machine, split->slices.front().device) != domain::kHostSpace;
  if (apart || split->exploring || !split->movable || split->candidates.empty() || !has_recurring(view) ||
      !memory.is_first(devices_of(*split)))
    return split;
  const auto* const candidate = holder(machine, view, *split);
  if (candidate == nullptr || candidate->plan == devices_of(*split)) return split;
  const auto device = static_cast<std::uint32_t>(std::countr_zero(candidate->plan));
  double moving = 0;
  for (const SliceWork& slice : split->slices) {
    const std::uint64_t bytes = recurring_bytes_missing(machine, view, slice.device, *slice.touches);
    if (bytes > kMaxShadowed) moving += moving_seconds(machine, view, device, slice.device, bytes);
  }
  const double gain = candidate->seconds - split->predicted_seconds;
  if (moving <= std::max(0.0, gain)) return split;
  if (machine.observer->logs(LogLevel::debug))
    machine.observer->log(LogLevel::debug, launch.kernel->traits().name + ": whole on device " +
                                               std::to_string(device) +
                                               " once more: the other plan begins with what is written next");
  memory.postpone(split);
  auto whole = std::make_shared<Decision>(*whole_on(launch, view, device, domain::NotSplit::not_profitable));
  whole->predicted_seconds = candidate->seconds;
  whole->next = std::move(split);
  return whole;
}

std::shared_ptr<const Decision> begun_split(const Machine& machine, const LaunchView& view, bool barred) {
  LaunchShape& shape = view.shape();
  auto split = shape.decisions().begun();
  if (split == nullptr || barred || !has_recurring(view)) return nullptr;
  const std::vector<bool>& eligible = shape.eligible().eligible;
  const bool stands = std::all_of(split->slices.begin(), split->slices.end(), [&](const SliceWork& slice) {
    return eligible[slice.device] &&
           recurring_bytes_missing(machine, view, slice.device, *slice.touches) <= kMaxShadowed;
  });
  if (!stands) return nullptr;
  shape.decisions().count_launch();
  return split;
}

}  // namespace skmd::icd
