// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/what_if.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "partitioner/model/fit_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

template <class Key>
using Dates = std::map<Key, std::pair<std::int64_t, std::size_t>>;  // the latest date, number of samples

template <class Key>
Key latest(const Dates<Key>& dates) {
  return std::max_element(dates.begin(), dates.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

template <class Key>
void count(Dates<Key>& dates, const Key& key, const ProfileSample& sample) {
  auto& [date, samples] = dates[key];
  date = std::max(date, sample.date);
  ++samples;
}

std::uint64_t bytes_of(const ProfileSample& sample) {
  std::uint64_t bytes = 0;
  for (const BufferArgument& buffer : sample.buffers) bytes += buffer.bytes;
  return bytes;
}

Error wrong(const std::string& what) { return {-1, what}; }

std::string listed(const std::vector<std::uint32_t>& indices) {
  std::string list;
  for (const std::uint32_t index : indices) list += (list.empty() ? "" : ", ") + std::to_string(index);
  return list.empty() ? "none" : list;
}

template <class Argument>
Argument* argument_of(std::vector<Argument>& arguments, std::uint32_t index) {
  const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) { return a.index == index; });
  return found == arguments.end() ? nullptr : &*found;
}

template <class Argument>
Error no_argument(const std::vector<Argument>& arguments, std::uint32_t index, const char* kind) {
  std::vector<std::uint32_t> indices;
  indices.reserve(arguments.size());
  for (const Argument& argument : arguments) indices.push_back(argument.index);
  return {kNoSuchArgument,
          "argument " + std::to_string(index) + " is no " + kind + "; those of this kernel are " + listed(indices)};
}

Status set_sizes(NdRange& range, const LaunchChange& change) {
  const std::size_t dims = change.global.empty() ? range.work_dim : change.global.size();
  if (dims < 1 || dims > 3) return wrong("a global size has 1 to 3 numbers, not " + std::to_string(dims));
  if (!change.local.empty() && change.local.size() != dims)
    return wrong("a local size of " + std::to_string(change.local.size()) + " numbers does not fit a global one of " +
                 std::to_string(dims));
  range.work_dim = static_cast<std::uint32_t>(dims);
  for (std::size_t d = 0; d < 3; ++d) {
    if (d < change.global.size()) range.global[d] = change.global[d];
    if (d < change.local.size()) range.local[d] = change.local[d];
    if (d >= dims) range.global[d] = range.local[d] = 1;
    if (d >= dims) range.offset[d] = 0;
    const std::string pair = "global size " + std::to_string(range.global[d]) + " in dimension " + std::to_string(d);
    if (range.local[d] == 0 || range.global[d] == 0) return wrong(pair + " and its local size must be 1 or more");
    if (range.global[d] % range.local[d] != 0)
      return wrong(pair + " is no multiple of the local size " + std::to_string(range.local[d]));
    if (range.global[d] > (std::uint64_t{1} << 40)) return wrong(pair + " is more than 2 to the power 40");
  }
  const Extent3 counts = range.group_counts();
  const double total = static_cast<double>(counts[0]) * static_cast<double>(counts[1]) * static_cast<double>(counts[2]);
  if (total > 0x1p62) return wrong("the launch has more than 2 to the power 62 groups");
  return {};
}

Point point_for(const ProfileSample& launch, const GroupSpan& span, double operations, double bytes) {
  ProfileSample part = launch;
  part.span = span;
  part.group_operations = operations;
  part.group_bytes = bytes;
  std::vector<Box> boxes;
  boxes_of(span, launch.range.group_counts(), boxes);
  part.boxes = static_cast<std::uint32_t>(boxes.size());
  return point_of(part);
}

class Asked {
 public:
  Asked(std::span<const DeviceTimes> devices, const ProfileSample& launch, const WorkEstimate& work)
      : devices_(devices), launch_(launch), work_(work) {}

  [[nodiscard]] TimePrediction prediction(std::size_t device) const {
    const TimeModel& model = devices_[device].model;
    TimePrediction result = predict(model, point(launch_.span));
    const auto least = predict(model, point_for(launch_, launch_.span, work_.operations.low, work_.bytes.low));
    const auto most = predict(model, point_for(launch_, launch_.span, work_.operations.high, work_.bytes.high));
    result.low = std::min(result.low, least.low);
    result.high = std::max(result.high, most.high);
    return result;
  }

  [[nodiscard]] DeviceModel believed(std::size_t device, const TimePrediction& whole, bool with_launch) const {
    DeviceModel model;
    model.measured = true;
    model.units = std::max(1u, devices_[device].device.units);
    if (with_launch)
      model.launch_seconds = std::min(whole.seconds, parts_of(devices_[device].model.terms, point(launch_.span)).fixed);
    const double growing = std::max(kLeastSeconds, whole.seconds - model.launch_seconds);
    model.groups_per_second = static_cast<double>(launch_.span.size()) / growing;
    model.relative_error = whole.seconds > 0 ? whole.high / whole.seconds - 1.0 : 0.0;
    return model;
  }

  /// What becomes of a plan over the groups 0 to the span's size.
  [[nodiscard]] PlanOutlook end_of(const Plan& plan) const {
    PlanOutlook result;
    result.groups.assign(devices_.size(), 0);
    for (const Slice& slice : plan.slices) {
      const GroupSpan span{launch_.span.first + slice.span.first, launch_.span.first + slice.span.last};
      result.groups[slice.device] += span.size();
      result.seconds = std::max(result.seconds, predict(devices_[slice.device].model, point(span)).seconds);
    }
    return result;
  }

 private:
  [[nodiscard]] Point point(const GroupSpan& span) const {
    return point_for(launch_, span, work_.operations.value, work_.bytes.value);
  }

  std::span<const DeviceTimes> devices_;
  const ProfileSample& launch_;
  const WorkEstimate& work_;
};

}  // namespace

KnownKernel known_kernel(std::span<const ProfileSample> samples) {
  KnownKernel known;
  Dates<std::string> programs;
  using Machine = std::tuple<std::string, std::string, std::uint32_t>;  // platform, name, units
  using Version = std::pair<std::string, std::string>;                  // form, driver
  std::map<Machine, Dates<Version>> versions;
  const auto machine_of = [](const DeviceKey& key) { return Machine{key.platform, key.name, key.units}; };
  for (const ProfileSample& sample : samples)
    if (!sample.first_use && sample.kernel_ns > 0) count(programs, sample.kernel.program, sample);
  if (programs.empty()) return known;
  const std::string program = latest(programs);
  std::set<std::string> others;
  for (const ProfileSample& sample : samples)
    if (sample.kernel.program == program && !sample.first_use && sample.kernel_ns > 0)
      count(versions[machine_of(sample.device)], Version{sample.kernel.form, sample.device.driver}, sample);
  if (programs.size() > 1)
    known.left_out = std::to_string(programs.size() - 1) + " other programs have a kernel of this name";
  for (SampleGroup& group : grouped(samples)) {
    if (group.kernel.program != program) continue;
    const auto& dates = versions[machine_of(group.device)];
    if (latest(dates) != Version{group.kernel.form, group.device.driver}) {
      others.insert(group.device.name + " as " + group.kernel.form + " by driver " + group.device.driver);
      continue;
    }
    for (const ProfileSample* sample : group.samples) {
      known.samples.push_back(sample);
      const auto size = [](const ProfileSample& s) { return std::pair(s.range.group_total(), bytes_of(s)); };
      if (known.largest == nullptr || size(*known.largest) < size(*sample)) known.largest = sample;
    }
    known.devices.push_back(std::move(group));
  }
  for (const std::string& other : others)
    known.left_out += (known.left_out.empty() ? "" : "; ") + ("older samples of " + other) + " are left out";
  return known;
}

Result<ProfileSample> changed(const ProfileSample& launch, const LaunchChange& change) {
  ProfileSample result = launch;
  result.kernel_ns = result.to_ns = result.from_ns = 0;
  result.group_operations = result.group_bytes = 0.0;
  if (const auto set = set_sizes(result.range, change); !set) return set.error();
  for (const ScalarArgument& wanted : change.scalars) {
    ScalarArgument* found = argument_of(result.scalars, wanted.index);
    if (found == nullptr) return no_argument(result.scalars, wanted.index, "integer");
    found->value = wanted.value;
  }
  for (const BufferArgument& wanted : change.buffers) {
    BufferArgument* found = argument_of(result.buffers, wanted.index);
    if (found == nullptr) return no_argument(result.buffers, wanted.index, "buffer");
    found->bytes = wanted.bytes;
  }
  result.span = change.groups.value_or(GroupSpan{0, result.range.group_total()});
  if (result.span.empty() || result.span.last > result.range.group_total())
    return wrong("groups " + std::to_string(result.span.first) + ":" + std::to_string(result.span.last) +
                 " are no span of the launch's " + std::to_string(result.range.group_total()) + " groups");
  return result;
}

Outlook outlook(std::span<const DeviceTimes> devices, const ProfileSample& launch, const WorkEstimate& work) {
  const Asked asked(devices, launch, work);
  Outlook result;
  std::vector<DeviceModel> lines, rates;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    result.devices.push_back(asked.prediction(d));
    lines.push_back(asked.believed(d, result.devices.back(), true));
    rates.push_back(asked.believed(d, result.devices.back(), false));
  }
  PartitionRequest request;
  request.groups = launch.span.size();
  const std::uint64_t row = row_of_groups(launch.range);
  request.granularity = launch.span.first % row == 0 ? row : 1;
  request.devices = lines;
  const Plan automatic = partition(request);
  result.automatic = asked.end_of(automatic);
  result.reason = automatic.reason;
  if (devices.size() <= kMaxPaperDevices) {
    PaperCosts costs;  // as bytes are left where they are: none
    costs.contiguous = true;
    costs.external.assign(devices.size(), false);
    request.policy.mode = PartitionMode::paper;
    request.paper = &costs;
    result.paper = asked.end_of(partition(request));
    request.paper = nullptr;
  }
  request.policy.mode = PartitionMode::single;
  request.policy.single_index = static_cast<int>(whole_device(request));
  result.single = asked.end_of(partition(request));
  request.policy.mode = PartitionMode::linear;
  request.devices = rates;
  result.linear = asked.end_of(partition(request));
  // The partitioner knows each device as a line, which short spans may not follow.
  if (!(result.automatic.seconds < result.single.seconds)) {
    if (automatic.slices.size() > 1) result.reason = NotSplit::not_profitable;
    result.automatic = result.single;
  }
  return result;
}

}  // namespace skmd::domain
