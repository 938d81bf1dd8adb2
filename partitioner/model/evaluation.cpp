// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace skmd::domain {
namespace {

using Key = std::pair<KernelKey, DeviceKey>;

double at(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0.0;
  const double rank = std::ceil(part * static_cast<double>(sorted.size())) - 1.0;
  return sorted[static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(sorted.size() - 1)))];
}

struct Tested {
  std::vector<double> errors;
  std::size_t covered = 0;
  double squares = 0.0;  // seconds squared
  std::vector<TestedSpan> spans;

  void add(const Tested& other) {
    errors.insert(errors.end(), other.errors.begin(), other.errors.end());
    covered += other.covered;
  }
  [[nodiscard]] Accuracy accuracy() const {
    std::vector<double> sorted = errors;
    std::sort(sorted.begin(), sorted.end());
    const double part = sorted.empty() ? 0.0 : static_cast<double>(covered) / static_cast<double>(sorted.size());
    return {sorted.size(), at(sorted, 0.5), at(sorted, 0.9), part};
  }
};

Tested test_of(const TimeModel& model, const std::vector<Point>& points) {
  Tested tested;
  for (const Point& point : points) {
    const TimePrediction prediction = predict(model, point);
    const double off = prediction.seconds - point.seconds;
    tested.errors.push_back(std::abs(off) / point.seconds);
    tested.covered += prediction.low <= point.seconds && point.seconds <= prediction.high ? 1 : 0;
    tested.squares += off * off;
    tested.spans.push_back({static_cast<std::uint64_t>(point.groups), static_cast<std::uint64_t>(point.launch_groups),
                            point.seconds, prediction});
  }
  return tested;
}

double median_of(ModelKind kind, const std::vector<Point>& train, const std::vector<Point>& test, std::uint32_t units) {
  const auto model = fit(train, {kind, units, {}});
  return model ? test_of(*model, test).accuracy().median : 0.0;
}

std::vector<Point> points_of(const SampleGroup& group) {
  std::vector<Point> points;
  for (const ProfileSample* sample : group.samples) points.push_back(point_of(*sample));
  return points;
}

}  // namespace

Point point_of(const ProfileSample& sample) {
  Point point;
  point.groups = static_cast<double>(sample.span.size());
  point.boxes = sample.boxes;
  point.operations = sample.group_operations;
  point.bytes = sample.group_bytes;
  point.data_decides = sample.data_decides_work;
  point.launch_groups = static_cast<double>(sample.range.group_total());
  for (const BufferArgument& buffer : sample.buffers) {
    point.size += static_cast<double>(buffer.bytes);
    point.parameters.push_back(static_cast<double>(buffer.bytes));
  }
  if (point.size <= 0) point.size = point.launch_groups;
  for (const ScalarArgument& scalar : sample.scalars) point.parameters.push_back(static_cast<double>(scalar.value));
  for (const std::uint64_t extent : sample.range.global) point.parameters.push_back(static_cast<double>(extent));
  point.seconds = static_cast<double>(sample.kernel_ns) * 1e-9;
  return point;
}

std::vector<SampleGroup> grouped(std::span<const ProfileSample> samples) {
  std::map<Key, SampleGroup> groups;
  for (const ProfileSample& sample : samples) {
    if (sample.first_use || sample.kernel_ns == 0 || sample.span.empty()) continue;
    SampleGroup& group = groups[{sample.kernel, sample.device}];
    group.kernel = sample.kernel;
    group.device = sample.device;
    group.samples.push_back(&sample);
  }
  std::vector<SampleGroup> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

Evaluation evaluate(std::span<const ProfileSample> train, std::span<const ProfileSample> test,
                    const EvaluationOptions& options) {
  std::map<Key, SampleGroup> known;
  for (SampleGroup& group : grouped(train)) {
    Key key{group.kernel, group.device};
    known.emplace(std::move(key), std::move(group));
  }
  Evaluation evaluation;
  std::map<DeviceKey, Tested> devices;
  for (const SampleGroup& group : grouped(test)) {
    const auto found = known.find({group.kernel, group.device});
    if (found == known.end()) continue;
    std::vector<Point> asked = points_of(group);
    std::erase_if(asked, [&](const Point& point) { return point.groups <= options.least_part * point.launch_groups; });
    const std::vector<Point> points = points_of(found->second);
    const std::uint32_t units = group.device.units;
    const auto model =
        fit(points, {ModelKind::arctan, units, options.bounds ? options.bounds(group.device) : Bounds{}});
    if (!model || asked.empty()) continue;
    Tested tested = test_of(*model, asked);
    devices[group.device].add(tested);
    evaluation.kernels.push_back({group.kernel, group.device, points.size(), tested.accuracy(),
                                  std::sqrt(tested.squares), median_of(ModelKind::paper, points, asked, units),
                                  median_of(ModelKind::rate, points, asked, units), std::move(tested.spans)});
  }
  for (const auto& [device, tested] : devices) evaluation.devices.push_back({device, tested.accuracy()});
  return evaluation;
}

}  // namespace skmd::domain
