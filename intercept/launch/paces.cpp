// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/paces.h"

#include <algorithm>
#include <bit>

#include "intercept/launch/running_constants.h"

namespace skmd::icd {
namespace {

std::uint64_t product(const domain::Extent3& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

std::size_t size_class(const domain::NdRange& range) {
  return static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(1, product(range.global)))) - 1;
}

/// 0: nothing can be said.
float seconds_of_item(const domain::NdRange& range, std::uint64_t groups, std::uint64_t nanoseconds) {
  const double items = static_cast<double>(groups) * static_cast<double>(product(range.local));
  return items > 0 ? static_cast<float>(static_cast<double>(nanoseconds) * 1e-9 / items) : 0;
}

}  // namespace

Paces::Paces(std::size_t devices) : devices_(devices) {}

double Paces::group_seconds(std::uint32_t device, const domain::NdRange& range) const {
  const float item = devices_[device][size_class(range)].item_seconds.load(std::memory_order_relaxed);
  return static_cast<double>(item) * static_cast<double>(product(range.local));
}

void Paces::learn(std::uint32_t device, const domain::NdRange& range, std::uint64_t groups, std::uint64_t nanoseconds,
                  Code code) {
  const float seconds = seconds_of_item(range, groups, nanoseconds);
  if (seconds <= 0) return;
  Pace& pace = devices_[device][size_class(range)];
  const float before = pace.item_seconds.exchange(seconds, std::memory_order_relaxed);
  const std::uint64_t others = pace.groups.exchange(groups, std::memory_order_relaxed);
  const bool alike = std::max(groups, others) <= 2 * std::min(groups, others);
  const bool differs =
      alike && before > 0 && std::max(before, seconds) > std::min(before, seconds) * tuning::kMaxUnsteady;
  pace.unsteady.store(differs, std::memory_order_relaxed);
  if (code == Code::own) return pace.own_seconds.store(seconds, std::memory_order_relaxed);
  // Two launches that end at once may lose one of their times.
  const float least = pace.inside_seconds.load(std::memory_order_relaxed);
  if (least <= 0 || seconds < least) pace.inside_seconds.store(seconds, std::memory_order_relaxed);
  pace.inside.fetch_add(1, std::memory_order_relaxed);
}

bool Paces::costs_too_much(std::uint32_t device, const domain::NdRange& range) const {
  const Pace& pace = devices_[device][size_class(range)];
  const float own = pace.own_seconds.load(std::memory_order_relaxed);
  return pace.inside.load(std::memory_order_relaxed) >= tuning::kTimedInside && own > 0 &&
         pace.inside_seconds.load(std::memory_order_relaxed) > own * tuning::kMaxInside;
}

bool Paces::steady(std::uint32_t device, const domain::NdRange& range) const {
  const Pace& pace = devices_[device][size_class(range)];
  return pace.item_seconds.load(std::memory_order_relaxed) > 0 && !pace.unsteady.load(std::memory_order_relaxed);
}

bool Paces::may_try(std::uint32_t device, const domain::NdRange& range) const {
  return devices_[device][size_class(range)].tries.load(std::memory_order_relaxed) < tuning::kMaxUntimed;
}

void Paces::tried(std::uint32_t device, const domain::NdRange& range) {
  devices_[device][size_class(range)].tries.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace skmd::icd
