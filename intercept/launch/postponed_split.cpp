// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/postponed_split.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/object/launch.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// The device with memory of its own that has all bytes of the recurring roots.
std::optional<std::uint32_t> holder(const Machine& machine, const LaunchView& view) {
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device) {
    if (space_of(machine, device) == domain::kHostSpace || !view.shape().eligible().eligible[device]) continue;
    if (recurring_bytes_missing(machine, view, device, view.whole()) == 0) return device;
  }
  return std::nullopt;
}

/// Seconds that `bytes` take from one device to host memory and on to another. Pages of host memory that were never
/// touched are made.
double moving_seconds(const Machine& machine, const LaunchView& view, std::uint32_t from, std::uint32_t to,
                      std::uint64_t bytes) {
  const LinkRates& links = LinkRates::get();
  const auto moved = static_cast<double>(bytes);
  double seconds = moved / links.of(from).from.value_or(kAssumedLink);
  if (space_of(machine, to) != domain::kHostSpace) seconds += moved / links.of(to).to.value_or(kAssumedLink);
  return seconds + std::min(moved * kTouchSeconds, first_touch_seconds(view));
}

}  // namespace

std::shared_ptr<const Decision> postponed(const Machine& machine, const Launch& launch, const LaunchView& view,
                                          std::shared_ptr<const Decision> split) {
  const double gain = split->alone_round_seconds - split->predicted_seconds;
  if (split->slices.size() < 2 || split->exploring || !split->movable || !has_recurring(view) || !(gain > 0))
    return split;
  const auto device = holder(machine, view);
  if (!device) return split;
  double moving = 0;
  for (const SliceWork& slice : split->slices) {
    const std::uint64_t bytes = recurring_bytes_missing(machine, view, slice.device, *slice.touches);
    if (bytes > kMaxShadowed) moving += moving_seconds(machine, view, *device, slice.device, bytes);
  }
  if (moving <= gain || !view.shape().decisions().postpones(split)) return split;
  auto whole = std::make_shared<Decision>(*whole_on(launch, view, *device, domain::NotSplit::not_profitable));
  whole->movable = true;
  whole->alone_bounds = split->alone_bounds;
  whole->candidates = split->candidates;
  whole->next = std::move(split);
  return whole;
}

std::shared_ptr<const Decision> begun_split(const LaunchView& view) {
  LaunchShape& shape = view.shape();
  auto split = shape.decisions().begun();
  if (split == nullptr || !has_recurring(view)) return nullptr;
  const std::vector<bool>& eligible = shape.eligible().eligible;
  const bool stands = std::all_of(split->slices.begin(), split->slices.end(),
                                  [&eligible](const SliceWork& slice) { return eligible[slice.device]; });
  if (!stands) return nullptr;
  shape.decisions().count_launch();
  return split;
}

}  // namespace skmd::icd
