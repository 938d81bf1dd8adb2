// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/rate_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "partitioner/model/fit_constants.h"
#include "partitioner/model/rate_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr double kMaxGroups = 9e18;  // that fit their type

std::uint64_t items_per_group(const NdRange& range) { return range.local[0] * range.local[1] * range.local[2]; }

/// Launches of about the same size, to the power of two, share a rate: small ones do not fill a GPU.
std::uint8_t size_class(const NdRange& range) {
  const double items = static_cast<double>(range.group_total()) * static_cast<double>(items_per_group(range));
  return static_cast<std::uint8_t>(std::clamp(std::ilogb(std::max(items, 1.0)), 0, 255));
}

}  // namespace

MeasuredRates::MeasuredRates(std::vector<DeviceModel> devices) : devices_(std::move(devices)) {}

void MeasuredRates::set_device(std::uint32_t device, const DeviceModel& constants) {
  const MutexGuard lock(mutex_);
  if (devices_.size() <= device) devices_.resize(device + 1);
  devices_[device] = constants;
}

double MeasuredRates::Rate::far_off() const {
  return std::max(kFarOff * items_per_second, kFarOffSpread * std::sqrt(variance));
}

/// Two samples in a row that are far off on the same side are no spikes.
bool MeasuredRates::Rate::changed(double rate) {
  const double far = far_off();
  const auto side = [&](double sample) {
    return sample > items_per_second + far ? 1 : sample > 0 && sample < items_per_second - far ? -1 : 0;
  };
  const bool again = side(rate) != 0 && side(rate) == side(odd_rate);
  if (!again) odd_rate = side(rate) != 0 ? rate : 0.0;
  return again;
}

bool MeasuredRates::Rate::learn(double items, double rate, bool whole) {
  if (whole)
    whole_items_per_second += (whole_items_per_second > 0 ? kNewestWhole : 1.0) * (rate - whole_items_per_second);
  if (samples != 0 && items * kShorterSpans < span_items && rate < items_per_second) {
    span_items *= kForgotten;
    return false;
  }
  bool another = false;
  if (samples == 0 || items > kShorterSpans * span_items) {
    items_per_second = rate;
    variance = 0.0;
    samples = 0;
  } else if (changed(rate)) {
    // The device has become another one, by a load that began or ended: also for whole launches.
    const double now = (rate + odd_rate) / 2;
    const bool alike = items < kAlikeSpans * usual_items && usual_items < kAlikeSpans * items;
    if (!whole && alike) whole_items_per_second *= now / items_per_second;
    items_per_second = now;
    variance = 0.0;
    samples = 1;
    odd_rate = 0.0;
    another = alike;  // otherwise slices of this length fill it less or better
  } else {
    const double far = far_off();
    const double off = std::clamp(rate - items_per_second, -far, far);
    items_per_second += kNewestRate * off;
    variance = (1.0 - kNewestRate) * (variance + kNewestRate * off * off);
  }
  if (odd_rate == 0.0) usual_items = items;
  span_items = std::max(items, kForgotten * span_items);
  samples = std::min<std::uint32_t>(samples + 1, 1u << 20);
  return another;
}

void MeasuredRates::learn_launch(std::uint32_t device, double waited) {
  if (!(waited > 0) || device >= devices_.size()) return;
  double& seconds = devices_[device].launch_seconds;
  seconds += (seconds > 0 ? kNewestRate : 1.0) * (waited - seconds);
}

void MeasuredRates::learn(const Sample& sample) {
  if (sample.span.empty() || sample.nanoseconds == 0) return;
  const double items = static_cast<double>(sample.span.size()) * static_cast<double>(items_per_group(sample.range));
  const auto nanoseconds = static_cast<double>(sample.nanoseconds);
  const double waited = std::min(static_cast<double>(sample.waited), kMaxWaited * nanoseconds);
  const double rate = items / ((nanoseconds - waited) * 1e-9);
  if (!(rate > 0) || !std::isfinite(rate)) return;
  const MutexGuard lock(mutex_);
  learn_launch(sample.device, waited * 1e-9);
  if (rates_.size() >= kMaxEntries) rates_.clear();  // a program that makes kernels for ever starts over
  Rate& entry = rates_[{sample.kernel, sample.device, size_class(sample.range)}];
  if (!sample.first_use) {
    const bool whole = sample.span.size() == sample.range.group_total();
    if (!entry.learn(items, rate, whole)) return;
    const auto ledger = ledgers_.find({sample.kernel, size_class(sample.range)});
    if (ledger != ledgers_.end()) ledger->second.devices_changed();
    return;
  }
  entry.first_items_per_second = rate;
  if (used_.size() >= kMaxEntries) used_.clear();
  used_.insert({sample.kernel, sample.device});
}

void MeasuredRates::launched(const LaunchOutcome& outcome) {
  const MutexGuard lock(mutex_);
  if (ledgers_.size() >= kMaxEntries) ledgers_.clear();
  ledgers_[{outcome.kernel, size_class(outcome.range)}].add(outcome);
  const auto device = static_cast<std::size_t>(std::countr_zero(outcome.first_uses));
  const bool known = outcome.split && outcome.alone_seconds > 0 && std::has_single_bit(outcome.first_uses);
  if (!known || device >= devices_.size()) return;
  double& seconds = devices_[device].first_use_seconds;
  seconds += kNewestFirstUse * (lost_seconds(outcome) - seconds);
}

const MeasuredRates::Rate* MeasuredRates::nearest(const Key& key, unsigned& distance) const {
  const Rate* best = nullptr;
  Key first = key;
  first.size_class = 0;
  for (auto it = rates_.lower_bound(first); it != rates_.end(); ++it) {
    if (it->first.kernel != key.kernel || it->first.device != key.device) break;
    if (it->second.samples == 0) continue;
    const auto off = static_cast<unsigned>(std::abs(int{it->first.size_class} - int{key.size_class}));
    if (best != nullptr && off >= distance) continue;
    best = &it->second;
    distance = off;
  }
  return best;
}

const MeasuredRates::Rate* MeasuredRates::nearest_of_twins(const Key& key, unsigned& distance) const {
  const std::uint64_t likeness = key.device < devices_.size() ? devices_[key.device].likeness : 0;
  const Rate* best = nullptr;
  for (std::uint32_t twin = 0; likeness != 0 && twin < devices_.size(); ++twin) {
    if (twin == key.device || devices_[twin].likeness != likeness) continue;
    unsigned off = 0;
    const Rate* rate = nearest({key.kernel, twin, key.size_class}, off);
    if (rate == nullptr || (best != nullptr && off >= distance)) continue;
    best = rate;
    distance = off;
  }
  return best;
}

std::uint32_t MeasuredRates::samples(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const {
  const MutexGuard lock(mutex_);
  const auto found = rates_.find({kernel, device, size_class(range)});
  return found == rates_.end() ? 0 : found->second.samples;
}

DeviceModel MeasuredRates::predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                   const PointOf& /*point*/) const {
  const MutexGuard lock(mutex_);
  DeviceModel model;
  if (device < devices_.size()) model = devices_[device];
  model.measured = false;
  model.source = ModelSource::none;
  model.groups_per_second = 0.0;
  if (used_.contains({kernel, device})) model.first_use_seconds = 0.0;
  const auto items = static_cast<double>(std::max<std::uint64_t>(1, items_per_group(range)));
  const Key key{kernel, device, size_class(range)};
  unsigned distance = 0;
  const Rate* rate = nearest(key, distance);
  const bool own = rate != nullptr;
  if (!own) rate = nearest_of_twins(key, distance);
  if (rate == nullptr) {
    if (const auto first = rates_.find(key); first != rates_.end())
      model.first_use_groups_per_second = first->second.first_items_per_second / items;
    return model;
  }
  const double spread = std::sqrt(rate->variance) / rate->items_per_second;
  model.measured = true;
  model.source = ModelSource::process;
  model.groups_per_second = rate->items_per_second / items;
  model.measured_groups = static_cast<std::uint64_t>(std::max(1.0, std::min(rate->span_items / items, kMaxGroups)));
  if (own && distance == 0) model.whole_groups_per_second = rate->whole_items_per_second / items;
  model.relative_error = std::min(kMaxRateError, std::max(kNoise, spread) + kFewSamplesError / rate->samples +
                                                     kErrorPerClass * distance + (own ? 0.0 : kErrorOfTwins));
  return model;
}

Experience MeasuredRates::experience(std::uint64_t kernel, const NdRange& range) const {
  const MutexGuard lock(mutex_);
  const auto found = ledgers_.find({kernel, size_class(range)});
  return found == ledgers_.end() ? Experience{} : found->second.experience();
}

}  // namespace skmd::domain
