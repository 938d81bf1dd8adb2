// SPDX-License-Identifier: Apache-2.0
#include "partitioner/rate_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace skmd::domain {
namespace {

constexpr double kNewest = 0.25;         // weight of the newest sample
constexpr double kLeastError = 0.03;     // timers and neighbours
constexpr double kFewSamples = 0.15;     // added error of a single sample; falls with their number
constexpr double kErrorPerClass = 0.15;  // added for each power of two between what was measured and what is asked
constexpr double kMostError = 1.0;
constexpr std::size_t kMostEntries = 1u << 16;

std::uint64_t items_per_group(const NdRange& range) { return range.local[0] * range.local[1] * range.local[2]; }

/// Launches of about the same size, to the power of two, share a rate: small ones do not fill a GPU.
std::uint8_t size_class(const NdRange& range) {
  const double items = static_cast<double>(range.group_total()) * static_cast<double>(items_per_group(range));
  return static_cast<std::uint8_t>(std::clamp(std::ilogb(std::max(items, 1.0)), 0, 255));
}

}  // namespace

MeasuredRates::MeasuredRates(std::vector<DeviceModel> devices) : devices_(std::move(devices)) {}

void MeasuredRates::set_device(std::uint32_t device, const DeviceModel& constants) {
  const std::scoped_lock lock(mutex_);
  if (devices_.size() <= device) devices_.resize(device + 1);
  devices_[device] = constants;
}

void MeasuredRates::learn(const Sample& sample) {
  if (sample.first_use || sample.nanoseconds == 0 || sample.span.empty()) return;
  const double items = static_cast<double>(sample.span.size()) * static_cast<double>(items_per_group(sample.range));
  const double rate = items / (static_cast<double>(sample.nanoseconds) * 1e-9);
  if (!(rate > 0) || !std::isfinite(rate)) return;
  const std::scoped_lock lock(mutex_);
  if (rates_.size() >= kMostEntries) rates_.clear();  // a program that makes kernels for ever starts over
  Rate& entry = rates_[{sample.kernel, sample.device, size_class(sample.range)}];
  if (entry.samples == 0) {
    entry.items_per_second = rate;
  } else {
    const double off = rate - entry.items_per_second;
    entry.items_per_second += kNewest * off;
    entry.variance = (1.0 - kNewest) * (entry.variance + kNewest * off * off);
  }
  entry.samples = std::min<std::uint32_t>(entry.samples + 1, 1u << 20);
}

const MeasuredRates::Rate* MeasuredRates::nearest(const Key& key, unsigned& distance) const {
  const Rate* best = nullptr;
  Key first = key;
  first.size_class = 0;
  for (auto it = rates_.lower_bound(first); it != rates_.end(); ++it) {
    if (it->first.kernel != key.kernel || it->first.device != key.device) break;
    const auto off = static_cast<unsigned>(std::abs(int{it->first.size_class} - int{key.size_class}));
    if (best != nullptr && off >= distance) continue;
    best = &it->second;
    distance = off;
  }
  return best;
}

DeviceModel MeasuredRates::predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const {
  const std::scoped_lock lock(mutex_);
  DeviceModel model;
  if (device < devices_.size()) model = devices_[device];
  model.measured = false;
  model.groups_per_second = 0.0;
  unsigned distance = 0;
  const Rate* rate = nearest({kernel, device, size_class(range)}, distance);
  if (rate == nullptr) return model;
  const double spread = std::sqrt(rate->variance) / rate->items_per_second;
  model.measured = true;
  model.groups_per_second =
      rate->items_per_second / static_cast<double>(std::max<std::uint64_t>(1, items_per_group(range)));
  model.relative_error =
      std::min(kMostError, std::max(kLeastError, spread) + kFewSamples / rate->samples + kErrorPerClass * distance);
  return model;
}

}  // namespace skmd::domain
