// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/stored_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "partitioner/model/evaluation.h"
#include "partitioner/model/fit_constants.h"
#include "partitioner/plan/plan_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

/// The longest span for which the model counts as measured. A few samples, or short ones, say no more than the same of
/// this process would: former processes may have tried the device with one slice and no more.
std::uint64_t believed_groups(const StoredModel& stored, double launch_groups) {
  const bool tells =
      stored.samples >= kEnoughNear && stored.longest * static_cast<double>(kBelievedTimes) >= launch_groups;
  return tells || !(stored.longest > 0) ? kAnySpan : static_cast<std::uint64_t>(stored.longest);
}

/// How far from the device a sample was measured. Ascending.
struct Distance {
  bool units = false;
  SampleOrigin origin = SampleOrigin::here;
  std::string driver;  // "": the device's own
  auto operator<=>(const Distance&) const = default;
};

bool usable(const ProfileSample& sample, const DeviceKey& device) {
  return sample.device.platform == device.platform && sample.device.name == device.name && !sample.first_use &&
         sample.kernel_ns > 0;
}

using ByDistance = std::map<std::pair<Distance, std::uint32_t>, std::vector<const ProfileSample*>>;

ByDistance by_distance(const std::vector<StoredSample>& samples, const DeviceKey& device) {
  ByDistance groups;
  for (const StoredSample& stored : samples) {
    if (!usable(stored.sample, device)) continue;
    const DeviceKey& measured = stored.sample.device;
    const Distance distance{measured.units != device.units, stored.origin,
                            measured.driver == device.driver ? std::string() : measured.driver};
    groups[{distance, measured.units}].push_back(&stored.sample);
  }
  return groups;
}

/// The nearest with enough samples, else those with most.
ByDistance::const_iterator choice(const ByDistance& groups) {
  auto most = groups.begin();
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    if (group->second.size() >= kEnoughNear) return group;
    if (group->second.size() > most->second.size()) most = group;
  }
  return most;
}

double box_seconds(const TimeModel& model) {
  double seconds = 0.0;
  for (const FittedTerm& fitted : model.terms)
    if (fitted.term.shape == TermShape::boxes) seconds += fitted.coefficient;
  return seconds;
}

}  // namespace

std::optional<StoredModel> fit_stored(const std::vector<StoredSample>& samples, const DeviceKey& device,
                                      const Bounds& bounds) {
  const ByDistance groups = by_distance(samples, device);
  if (groups.empty()) return std::nullopt;
  const auto& [key, chosen] = *choice(groups);
  const auto& [distance, units] = key;
  std::vector<Point> points;
  for (const ProfileSample* sample : chosen) points.push_back(point_of(*sample));
  const bool own = distance == Distance{};
  auto model = fit(points, {ModelKind::arctan, std::max(1u, units), own ? bounds : Bounds{}});
  if (!model) return std::nullopt;
  StoredModel stored;
  stored.model = std::move(*model);
  stored.source = distance.origin == SampleOrigin::shipped ? ModelSource::shipped : ModelSource::database;
  stored.samples = points.size();
  for (const Point& point : points) stored.longest = std::max(stored.longest, point.groups);
  if (distance.units && units > 0 && device.units > 0) stored.slower = static_cast<double>(units) / device.units;
  stored.added_error = (distance.origin == SampleOrigin::shipped    ? kShipped
                        : distance.origin == SampleOrigin::imported ? kElsewhere
                                                                    : 0.0) +
                       (distance.driver.empty() ? 0.0 : kOtherDriver) + (distance.units ? kOtherUnits : 0.0);
  return stored;
}

bool may_be_sure(const StoredModel& stored) {
  return stored.source != ModelSource::shipped && stored.samples >= kSureSamples;
}

bool is_sure(const StoredModel& stored, double launch_groups) {
  return may_be_sure(stored) && stored.longest * static_cast<double>(kTellingPart) >= launch_groups;
}

std::optional<TimePrediction> predict(const StoredModel& stored, const Point& point) {
  const TimePrediction own = predict(stored.model, point);
  const double seconds = own.seconds * stored.slower;
  if (!(seconds > 0) || !std::isfinite(seconds)) return std::nullopt;
  const double wider = 1.0 + stored.added_error;
  return TimePrediction{seconds, own.low * stored.slower / wider, own.high * stored.slower * wider};
}

std::optional<DeviceModel> device_model(const StoredModel& stored, const Point& launch, const DeviceModel& constants) {
  const auto whole = predict(stored, launch);
  if (!whole || !(launch.groups > 0)) return std::nullopt;
  Point part = launch;
  part.groups = std::max(1.0, launch.groups / kLinePart);
  DeviceModel device = constants;
  device.launch_seconds = 0.0;
  if (const auto quarter = predict(stored, part); quarter && part.groups < launch.groups) {
    const double slope = (whole->seconds - quarter->seconds) / (launch.groups - part.groups);
    device.launch_seconds = std::clamp(whole->seconds - slope * launch.groups, 0.0, quarter->seconds);
  }
  device.groups_per_second =
      launch.groups / std::max(whole->seconds - device.launch_seconds, kLeastGrowing * whole->seconds);
  device.box_seconds = box_seconds(stored.model) * stored.slower;
  device.whole_groups_per_second = 0.0;
  device.measured = true;
  device.measured_groups = believed_groups(stored, launch.groups);
  device.source = stored.source;
  device.relative_error = whole->high / whole->seconds - 1.0;
  return device;
}

}  // namespace skmd::domain
