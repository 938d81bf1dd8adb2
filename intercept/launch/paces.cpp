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

}  // namespace

Paces::Paces(std::size_t devices) : devices_(devices) {}

double Paces::group_seconds(std::uint32_t device, const domain::NdRange& range) const {
  const float item = devices_[device][size_class(range)].item_seconds.load(std::memory_order_relaxed);
  return static_cast<double>(item) * static_cast<double>(product(range.local));
}

void Paces::learn(std::uint32_t device, const domain::NdRange& range, std::uint64_t groups, std::uint64_t nanoseconds) {
  const double items = static_cast<double>(groups) * static_cast<double>(product(range.local));
  if (items <= 0 || nanoseconds == 0) return;
  devices_[device][size_class(range)].item_seconds.store(
      static_cast<float>(static_cast<double>(nanoseconds) * 1e-9 / items), std::memory_order_relaxed);
}

bool Paces::may_try(std::uint32_t device, const domain::NdRange& range) const {
  return devices_[device][size_class(range)].tries.load(std::memory_order_relaxed) < tuning::kMaxUntimed;
}

void Paces::tried(std::uint32_t device, const domain::NdRange& range) {
  devices_[device][size_class(range)].tries.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace skmd::icd
