// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/known_times.h"

#include <algorithm>
#include <cmath>

#include "partitioner/model/rate_constants.h"
#include "partitioner/plan/plan_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

}  // namespace

KnownTimes::KnownTimes(std::vector<DeviceModel> devices, Seconds now, StoredTrust trust)
    : rates_(std::move(devices)), now_(std::move(now)), trust_(trust) {}

void KnownTimes::store(std::uint64_t kernel, std::uint32_t device, StoredModel model) {
  auto made = std::make_shared<const StoredModel>(std::move(model));
  const MutexGuard lock(mutex_);
  if (stored_.size() >= kMaxEntries) return;  // bounds memory for programs that create kernels without end
  stored_[{kernel, device}] = std::move(made);
  corrections_.forget(kernel);
  any_stored_.store(true, std::memory_order_release);
}

std::size_t KnownTimes::stored(std::uint64_t kernel) const {
  const MutexGuard lock(mutex_);
  std::size_t devices = 0;
  for (auto it = stored_.lower_bound({kernel, 0}); it != stored_.end() && it->first.first == kernel; ++it)
    if (it->second->decides && (trust_ == StoredTrust::all || may_be_sure(*it->second))) ++devices;
  return devices;
}

std::shared_ptr<const StoredModel> KnownTimes::find(const Key& key) const {
  if (!any_stored_.load(std::memory_order_acquire)) return nullptr;
  const MutexGuard lock(mutex_);
  const auto found = stored_.find(key);
  return found == stored_.end() ? nullptr : found->second;
}

bool KnownTimes::counts(const StoredModel& model, const NdRange& range) const {
  return trust_ == StoredTrust::all || is_sure(model, static_cast<double>(range.group_total()));
}

bool KnownTimes::is_cold(const Key& key, const TimePrediction& expected, double seconds) {
  std::uint32_t& launches = launches_.try_emplace(key, 0).first->second;
  if (launches >= kColdLaunches) return false;
  ++launches;
  if (seconds <= expected.high || seconds - expected.seconds >= kColdSeconds) return false;
  cold_.insert(key.first);
  any_cold_.store(true, std::memory_order_release);
  return true;
}

bool KnownTimes::compare(const Sample& sample) {
  if (sample.first_use || sample.span.empty() || !sample.point) return true;
  const Key key{sample.kernel, sample.device};
  const auto stored = find(key);
  if (stored == nullptr || !stored->decides) return true;
  Point point = sample.point();
  point.groups = static_cast<double>(sample.span.size());
  point.boxes = box_count(sample.span, sample.range.group_counts());
  const auto expected = domain::predict(*stored, point);
  if (!expected) return true;
  const double seconds = static_cast<double>(sample.nanoseconds) * 1e-9;
  const bool may_be_cold = counts(*stored, sample.range);
  const MutexGuard lock(mutex_);
  if (may_be_cold && is_cold(key, *expected, seconds)) return false;
  corrections_.learn({key.first, key.second}, *expected, seconds, now_());
  return true;
}

void KnownTimes::learn(const Sample& sample) {
  if (compare(sample)) rates_.learn(sample);
}

void KnownTimes::launched(const LaunchOutcome& outcome) {
  if (!any_cold_.load(std::memory_order_acquire)) {
    rates_.launched(outcome);
    return;
  }
  LaunchOutcome told = outcome;
  {
    const MutexGuard lock(mutex_);
    told.exploring |= cold_.erase(outcome.kernel) != 0;
    any_cold_.store(!cold_.empty(), std::memory_order_release);
  }
  rates_.launched(told);
}

bool KnownTimes::own_is_enough(const DeviceModel& own, const Key& key, const NdRange& range) const {
  return own.measured && own.measured_groups >= range.group_total() / kBelievedTimes &&
         rates_.samples(key.first, key.second, range) >= kEnoughSamples;
}

DeviceModel KnownTimes::corrected(DeviceModel stored, const Key& key, const NdRange& range) const {
  const double seconds = stored.launch_seconds + static_cast<double>(range.group_total()) / stored.groups_per_second;
  const double wider = 1.0 + stored.relative_error;
  const TimePrediction expected{seconds, seconds / wider, seconds * wider};
  const MutexGuard lock(mutex_);
  const TimePrediction now = corrections_.corrected({key.first, key.second}, expected, now_());
  const double factor = now.seconds / expected.seconds;
  if (!(factor > 0) || !std::isfinite(factor)) return stored;
  stored.launch_seconds *= factor;
  stored.box_seconds *= factor;
  stored.groups_per_second /= factor;
  stored.relative_error = now.high / now.seconds - 1.0;
  return stored;
}

DeviceModel KnownTimes::predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                const PointOf& point) const {
  DeviceModel own = rates_.predict(kernel, device, range, point);
  const Key key{kernel, device};
  const auto stored = point ? find(key) : nullptr;
  if (stored == nullptr || own_is_enough(own, key, range)) return own;
  const bool sure = counts(*stored, range);
  if (!stored->decides) {
    const auto former = sure ? domain::predict(*stored, point()) : std::nullopt;
    if (former) own.former_seconds = former->seconds;
    return own;
  }
  if (!sure) return own;
  auto believed = device_model(*stored, point(), own);
  return believed ? corrected(*believed, key, range) : own;
}

}  // namespace skmd::domain
