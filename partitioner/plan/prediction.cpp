// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partitioner/plan/plan_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr double kForever = std::numeric_limits<double>::infinity();

double linked_seconds(std::uint64_t bytes, double bytes_per_second, const LinkShape& link) {
  if (bytes == 0) return 0.0;
  if (!(bytes_per_second > 0)) return kForever;
  const auto count = static_cast<double>(bytes);
  const double bulk = link.bulk_seconds + count / bytes_per_second;
  if (!(link.small_part > 0)) return bulk;
  return std::min(bulk, link.latency_seconds + count / (link.small_part * bytes_per_second));
}

MovingSeconds seconds_of(const PartitionRequest& request, const Moving& moving, double bytes_per_second,
                         const LinkShape& link) {
  const double copying = moving.copied != 0 && request.host_bytes_per_second > 0
                             ? static_cast<double>(moving.copied) / request.host_bytes_per_second
                             : 0.0;
  return {linked_seconds(moving.linked, bytes_per_second, link), copying};
}

double whole_seconds(const PartitionRequest& request, std::uint32_t device) {
  return whole_seconds(request.devices[device], request.groups);
}

/// What a launch loses that waits for another device's.
double hand_over_seconds(const PartitionRequest& request, std::uint32_t device) {
  return request.behind && *request.behind != device ? request.hand_over_seconds : 0.0;
}

/// What the cuts of a slice cost beyond its first box.
double boxes_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span) {
  const DeviceModel& model = request.devices[device];
  if (!(model.box_seconds > 0) || request.group_counts[0] == 0) return 0.0;
  return model.box_seconds * (box_count(span, request.group_counts) - 1);
}

/// The rate of a device that ran fewer groups than this at once is not used for the whole launch.
std::uint64_t least_believed(const PartitionRequest& request) {
  std::uint64_t longest = 0;
  for (const DeviceModel& model : request.devices)
    if (model.eligible && is_measured(model)) longest = std::max(longest, model.measured_groups);
  return std::min(longest, request.groups) / kBelievedTimes;
}

}  // namespace

double whole_seconds(const DeviceModel& model, std::uint64_t groups) {
  const double rate = model.whole_groups_per_second > 0 ? model.whole_groups_per_second : model.groups_per_second;
  return model.launch_seconds + static_cast<double>(groups) / rate;
}

bool is_measured(const DeviceModel& device) {
  return device.measured && device.groups_per_second > 0 && std::isfinite(device.groups_per_second);
}

std::vector<DeviceModel> as_formerly_known(const PartitionRequest& request) {
  std::vector<DeviceModel> models(request.devices.begin(), request.devices.end());
  for (DeviceModel& model : models) {
    const bool is_known = is_measured(model) &&
                          (model.measured_groups >= request.groups / kTellingPart || model.whole_groups_per_second > 0);
    if (!(model.former_seconds > 0) || is_known) continue;
    model.measured = true;
    model.groups_per_second = static_cast<double>(request.groups) / model.former_seconds;
    model.measured_groups = request.groups;
    model.launch_seconds = model.box_seconds = 0.0;
  }
  return models;
}

MovingSeconds seconds_to(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span) {
  const DeviceModel& model = request.devices[device];
  if (!request.bytes_to) return {};
  return seconds_of(request, request.bytes_to(device, span), model.bytes_to_per_second, model.link);
}

MovingSeconds seconds_from(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span) {
  const DeviceModel& model = request.devices[device];
  if (!request.bytes_from) return {};
  return seconds_of(request, request.bytes_from(device, span), model.bytes_from_per_second, model.link);
}

double moving_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span) {
  return seconds_to(request, device, span).sum() + seconds_from(request, device, span).sum();
}

double running_seconds(const PartitionRequest& request, std::uint32_t device, std::uint64_t groups) {
  if (groups >= request.groups) return whole_seconds(request, device);
  const DeviceModel& model = request.devices[device];
  // The rate is that of so many groups at once: fewer take as long.
  const std::uint64_t together = std::min(model.units, model.measured_groups);
  return model.launch_seconds + static_cast<double>(std::max(groups, together)) / model.groups_per_second;
}

double running_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span) {
  return running_seconds(request, device, span.size()) + boxes_seconds(request, device, span);
}

double finish_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span) {
  if (span.empty()) return 0.0;
  return running_seconds(request, device, span) + moving_seconds(request, device, span);
}

std::optional<Alone> best_alone(const PartitionRequest& request) {
  const GroupSpan all{0, request.groups};
  std::vector<std::uint32_t> order;
  const std::uint64_t least = least_believed(request);
  for (std::uint32_t d = 0; d < request.devices.size(); ++d) {
    const DeviceModel& model = request.devices[d];
    if (model.eligible && is_measured(model) && model.measured_groups >= least) order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return whole_seconds(request, a) + hand_over_seconds(request, a) <
           whole_seconds(request, b) + hand_over_seconds(request, b);
  });
  std::optional<Alone> best;
  for (const std::uint32_t d : order) {
    const double running = whole_seconds(request, d) + hand_over_seconds(request, d);
    if (best && running >= best->seconds) break;  // bytes are counted only where they may decide
    const double from = seconds_from(request, d, all).sum();
    const double to = seconds_to(request, d, all).sum();
    if (!best || running + to + from < best->seconds) best = Alone{d, running + to + from, running + to};
  }
  if (best && request.bytes_awaited) {
    const DeviceModel& model = request.devices[best->device];
    best->local_seconds = whole_seconds(request, best->device) +
                          linked_seconds(request.bytes_awaited(best->device), model.bytes_to_per_second, model.link);
  }
  return best;
}

bool has_twin_before(std::span<const DeviceModel> devices, std::uint32_t d) {
  const DeviceModel& model = devices[d];
  return std::any_of(devices.begin(), devices.begin() + d, [&](const DeviceModel& other) {
    return other.eligible && other.likeness == model.likeness && model.likeness != 0;
  });
}

std::vector<AloneBounds> alone_bounds(const PartitionRequest& request) {
  const DeviceModel* fastest = nullptr;
  for (const DeviceModel& device : request.devices)
    if (device.eligible && is_measured(device) &&
        (fastest == nullptr || device.groups_per_second > fastest->groups_per_second))
      fastest = &device;
  std::vector<AloneBounds> all;
  if (fastest == nullptr) return all;
  std::vector<DeviceModel> models = as_formerly_known(request);
  PartitionRequest asked = request;
  asked.devices = models;
  for (std::uint32_t d = 0; d < models.size(); ++d) {
    DeviceModel& model = models[d];
    if (!model.eligible || !is_measured(model) || has_twin_before(request.devices, d)) continue;
    AloneBounds one{d};
    one.at_most = finish_seconds(asked, d, {0, request.groups});
    one.at_most_running = running_seconds(asked, d, request.groups);
    const double as_others = fastest->groups_per_second / (model.strength < fastest->strength ? kWeaker : 1.0);
    if (model.measured_groups < request.groups / kTellingPart && model.whole_groups_per_second <= 0)
      model.groups_per_second = std::max(model.groups_per_second * kLooksSlower, as_others);
    one.seconds = finish_seconds(asked, d, {0, request.groups});
    one.running_seconds = running_seconds(asked, d, request.groups);
    all.push_back(one);
  }
  return all;
}

std::uint32_t unknown_kernels_device(const PartitionRequest& request) {
  double strongest = 0;
  for (const DeviceModel& model : request.devices)
    if (model.eligible) strongest = std::max(strongest, model.strength);
  std::optional<std::uint32_t> best;
  double least = kForever;
  const auto consider = [&](std::uint32_t d) {
    const DeviceModel& model = request.devices[d];
    if (!model.eligible || model.strength * kStrongerTimes < strongest) return;
    const double moving = seconds_to(request, d, {0, request.groups}).sum();
    if (best && !(moving < least)) return;
    best = d;
    least = moving;
  };
  if (request.anchor < request.devices.size()) consider(request.anchor);
  for (std::uint32_t d = 0; d < request.devices.size(); ++d)
    if (d != request.anchor) consider(d);
  return best.value_or(request.anchor);
}

}  // namespace skmd::domain
