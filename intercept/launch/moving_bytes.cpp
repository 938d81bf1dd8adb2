// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/moving_bytes.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/storage.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// Bytes of root `r` that go over links until `device` has what it needs for what `touches` says.
std::uint64_t bytes_missing(const Machine& machine, const LaunchView& view, std::uint32_t device,
                            const SpanFootprint& touches, std::size_t r) {
  Storage& root = *view.roots()[r];
  const MutexGuard lock(root.mutex());
  return root.residency().moved_bytes(space_of(machine, device), touches.needed[r]);
}

/// One direction of a link.
struct Way {
  std::optional<double> LinkRate::*rate;
  std::uint32_t LinkRate::*told;
};
constexpr Way kTo{&LinkRate::to, &LinkRate::to_told}, kFrom{&LinkRate::from, &LinkRate::from_told};

/// The measured rate in one direction, or that of a device of the same make, where that one has told more; nothing if
/// no such link was used.
std::optional<double> rate_of(std::span<const domain::DeviceModel> models, std::size_t device, const Way& way) {
  const LinkRates& links = LinkRates::get();
  const LinkRate own = links.of(static_cast<std::uint32_t>(device));
  const std::uint64_t likeness = models[device].likeness;
  // Devices of one make in two machines are reached by different links.
  if (own.*way.told >= kOwnTransfers || likeness == 0 || links.is_far(static_cast<std::uint32_t>(device)))
    return own.*way.rate;
  std::optional<double> rate = own.*way.rate;
  for (std::uint32_t twin = 0; twin < models.size(); ++twin) {
    if (twin == device || models[twin].likeness != likeness || links.is_far(twin)) continue;
    const LinkRate other = links.of(twin);
    if (other.*way.told >= kSettledTransfers && other.*way.told > own.*way.told) return other.*way.rate;
    if (!rate) rate = other.*way.rate;
  }
  return rate;
}

/// The slowest rate at which results are known to come to host memory.
double slowest_from(const Machine& machine, std::span<const domain::DeviceModel> models) {
  double slowest = kAssumedLink;
  for (std::uint32_t device = 0; device < models.size(); ++device)
    if (space_of(machine, device) != domain::kHostSpace)
      slowest = std::min(slowest, rate_of(models, device, kFrom).value_or(kAssumedLink));
  return slowest;
}

/// Whether another of `devices` devices is behind the same link to another machine.
bool shares_link(std::uint32_t device, std::uint32_t devices) {
  const LinkRates& links = LinkRates::get();
  for (std::uint32_t other = 0; other < devices; ++other)
    if (other != device && links.is_far(other) && links.link_of(other) == links.link_of(device)) return true;
  return false;
}

}  // namespace

bool has_recurring(const LaunchView& view) {
  return std::any_of(view.roots().begin(), view.roots().end(), [](const auto& root) { return root->usage().recurs(); });
}

domain::Moving bytes_to(const Machine& machine, const LaunchView& view, std::uint32_t device,
                        const SpanFootprint& touches) {
  const bool apart = space_of(machine, device) != domain::kHostSpace;
  domain::Moving moving;
  for (std::size_t r = 0; r < touches.needed.size(); ++r) {
    const Storage& root = *view.roots()[r];
    if (!root.usage().recurs())
      moving.linked += bytes_missing(machine, view, device, touches, r);
    else
      (apart ? moving.linked : moving.copied) += touches.needed[r].bytes() / root.usage().launches_per_round();
  }
  return moving;
}

double first_touch_seconds(const LaunchView& view) {
  std::uint64_t untouched = 0;
  for (const auto& root : view.roots()) untouched += root->untouched_bytes();
  return static_cast<double>(untouched) * kTouchSeconds;
}

std::uint64_t bytes_awaited(const Machine& machine, const LaunchView& view, std::uint32_t device) {
  const SpanFootprint& touches = view.whole();
  std::uint64_t bytes = 0;
  for (std::size_t r = 0; r < touches.needed.size(); ++r)
    if (!view.roots()[r]->usage().recurs()) bytes += bytes_missing(machine, view, device, touches, r);
  return bytes;
}

std::uint64_t recurring_bytes_missing(const Machine& machine, const LaunchView& view, std::uint32_t device,
                                      const SpanFootprint& touches) {
  std::uint64_t bytes = 0;
  for (std::size_t r = 0; r < touches.needed.size(); ++r) {
    Storage& root = *view.roots()[r];
    if (!root.usage().recurs()) continue;
    const MutexGuard lock(root.mutex());
    bytes += root.residency().missing_bytes(space_of(machine, device), touches.needed[r]);
  }
  return bytes;
}

domain::Moving bytes_from(const Machine& machine, const LaunchView& view, std::uint32_t device,
                          const SpanFootprint& touches) {
  const bool apart = space_of(machine, device) != domain::kHostSpace;
  domain::Moving moving;
  for (std::size_t r = 0; r < touches.roots.size(); ++r) {
    const ReadBacks& reads = view.roots()[r]->usage().read_backs();
    const std::uint64_t bytes = touches.roots[r].may_write.bytes() / reads.launches_per_read();
    if (apart)
      moving.linked += bytes;
    else if (reads.copied())
      moving.copied += bytes;
  }
  return moving;
}

FarLink far_link(std::uint32_t device) {
  const LinkRates& links = LinkRates::get();
  if (!links.is_far(device)) return {};
  const LinkRate rate = links.of(device);
  const double assumed = links.assumed(device);
  return {links.round_trip(device), rate.to.value_or(assumed), rate.from.value_or(assumed)};
}

std::uint32_t read_rhythm(const LaunchView& view) {
  std::uint32_t rhythm = 0;
  for (const auto& root : view.roots())
    rhythm = rhythm * 31 + std::bit_width(root->usage().read_backs().launches_per_read());
  return rhythm;
}

std::optional<std::uint32_t> followed_device(const LaunchView& view) {
  RootUsage::LastLaunch followed;
  for (const auto& root : view.roots())
    if (const auto last = root->usage().last_launch(); last.tick > followed.tick) followed = last;
  return followed.tick == 0 ? std::nullopt : std::optional(followed.device);
}

void set_links(const Machine& machine, std::span<domain::DeviceModel> models) {
  const double home = slowest_from(machine, models);
  for (std::uint32_t device = 0; device < models.size(); ++device) {
    const bool apart = space_of(machine, device) != domain::kHostSpace;
    domain::DeviceModel& model = models[device];
    const LinkRates& links = LinkRates::get();
    model.link = links.shape(device);
    const double assumed = links.assumed(device);
    model.bytes_to_per_second = apart ? rate_of(models, device, kTo).value_or(assumed) : home;
    model.bytes_from_per_second = rate_of(models, device, kFrom).value_or(assumed);
    // Times of launches are those on the device's own clock.
    if (!links.is_far(device)) continue;
    model.launch_seconds += links.round_trip(device);
    // A link of one device is planned as any device's.
    if (shares_link(device, static_cast<std::uint32_t>(models.size()))) model.shared_link = links.link_of(device) + 1;
  }
}

}  // namespace skmd::icd
