// SPDX-License-Identifier: Apache-2.0
#include "partitioner/exploration.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skmd::domain {
namespace {

constexpr std::uint64_t kFirstPart = 1024;  // of the launch: the first slice
constexpr double kGrowth = 16.0;            // from slice to slice at most
constexpr double kLonger = 1.5;             // shares longer than this times the longest measured are to be measured
constexpr double kOptimism = 4.0;           // a device may be so many times as fast as it looks
constexpr double kPessimism = 32.0;         // a device that nobody has measured may be so many times slower than hoped
constexpr double kLeastGain = 0.05;         // of the launch's time: less is not worth finding out
constexpr double kAtStake = 0.25;           // of what launches would have gained so far

double part_of(const PartitionRequest& request, std::uint64_t groups) {
  return static_cast<double>(groups) / static_cast<double>(request.groups);
}

class Explorer {
 public:
  Explorer(const PartitionRequest& request, const Alone& alone, FinishLines lines, Joining& joining)
      : request_(request), alone_(alone), lines_(std::move(lines)), joining_(joining) {
    fill(lines_, static_cast<double>(request.groups));
  }

  Exploration run() {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> candidates;
    for (std::uint32_t d = 0; d < request_.devices.size(); ++d) {
      if (!request_.devices[d].eligible || d == alone_.device) continue;
      if (const std::uint64_t groups = next_groups(d); groups != 0) candidates.emplace_back(d, groups);
    }
    for (const auto& [device, groups] : candidates) {
      found_.unknown.push_back(device);
      std::erase_if(lines_, [device = device](const FinishLine& line) { return line.device == device; });
    }
    const double known = fill(lines_, static_cast<double>(request_.groups)) + request_.merge_seconds;
    reached_seconds_ = std::min(alone_.seconds, known);
    for (const auto& [device, groups] : candidates) consider(device, groups);
    return std::move(found_);
  }

 private:
  /// Groups per second of the device that runs the launch best.
  [[nodiscard]] double best_rate() const {
    return static_cast<double>(request_.groups) / running_seconds(request_, alone_.device, request_.groups);
  }
  /// What is hoped of a device that nobody has measured.
  [[nodiscard]] double hoped_rate(const DeviceModel& model) const {
    return best_rate() * model.strength / request_.devices[alone_.device].strength;
  }

  /// The rate of a measured device if its units were idle for want of groups.
  [[nodiscard]] static double filled_rate(const DeviceModel& model) {
    if (model.measured_groups >= model.units) return model.groups_per_second;
    return model.groups_per_second * static_cast<double>(model.units) / static_cast<double>(model.measured_groups);
  }

  /// Groups of the next slice to learn from; 0: the device is known.
  [[nodiscard]] std::uint64_t next_groups(std::uint32_t device) {
    const DeviceModel& model = request_.devices[device];
    if (!is_measured(model)) {
      const std::uint64_t first = std::max<std::uint64_t>(1, request_.groups / kFirstPart);
      return first > request_.granularity ? first - first % request_.granularity : first;
    }
    const FinishLine* line = line_of(lines_, device);
    if (line == nullptr || model.measured_groups >= request_.groups) return 0;
    const auto longest = static_cast<double>(model.measured_groups);
    if (line->share <= kLonger * longest) return 0;
    return static_cast<std::uint64_t>(std::llround(std::min(line->share, kGrowth * longest)));
  }

  /// Part of the time reached without it that the device saves if it is as fast as one may hope.
  [[nodiscard]] double hoped_gain(std::uint32_t device, double moving_all) {
    const DeviceModel& model = request_.devices[device];
    const double rate = kOptimism * (is_measured(model) ? filled_rate(model) : hoped_rate(model));
    FinishLines lines = lines_;
    if (lines.size() == kMostLines) return 0.0;
    FinishLine& line = lines.emplace_back();
    line.device = device;
    line.fixed = model.launch_seconds;
    line.per_group = 1.0 / rate + moving_all / static_cast<double>(request_.groups);
    const double finish = fill(lines, static_cast<double>(request_.groups));
    return 1.0 - (finish + request_.merge_seconds) / reached_seconds_;
  }

  /// Seconds in which the slice should end at the latest, its bytes apart.
  [[nodiscard]] double latest_end(const DeviceModel& model, std::uint64_t groups) const {
    const auto count = static_cast<double>(groups);
    if (is_measured(model)) return count / model.groups_per_second;
    if (model.first_use_groups_per_second > 0) return count / model.first_use_groups_per_second;
    return std::max(count, static_cast<double>(model.units)) * kPessimism / hoped_rate(model);
  }

  /// What the slice may add to the launch's time. `moving`: seconds for its bytes.
  [[nodiscard]] double stake(std::uint32_t device, std::uint64_t groups, double moving) const {
    const DeviceModel& model = request_.devices[device];
    const double late = latest_end(model, groups) + moving - alone_.seconds;
    return model.first_use_seconds + request_.merge_seconds + request_.planning_seconds + std::max(0.0, late);
  }

  void consider(std::uint32_t device, std::uint64_t groups) {
    const double moving_all = moving_seconds(request_, device, {0, request_.groups});
    const double gain = hoped_gain(device, moving_all);
    if (!(gain >= kLeastGain)) return;
    const bool wanted_before = std::exchange(found_.wanted, true);
    const double purse = kAtStake * gain * (request_.experience.seconds + reached_seconds_);
    const double spent = request_.experience.lost_seconds + stakes_;
    if (!request_.may_search || pinned_ + groups >= request_.groups) return;
    if (spent + stake(device, groups, moving_all * part_of(request_, groups)) > purse) return;
    // Now that it might be done: what is worth asking only then.
    const double joining = joining_.seconds();
    if (joining >= gain * reached_seconds_) {
      found_.wanted = wanted_before;
      return;
    }
    const std::uint64_t last = request_.groups - pinned_;
    const double moving = moving_seconds(request_, device, {last - groups, last});
    const double own = stake(device, groups, moving) + joining;
    if (moving >= alone_.seconds || spent + own > purse) return;
    stakes_ += own;
    pinned_ += groups;
    found_.probes.push_back({device, groups});
  }

  const PartitionRequest& request_;
  const Alone& alone_;
  FinishLines lines_;
  Joining& joining_;
  Exploration found_;
  double reached_seconds_ = 0;  // by what is known
  double stakes_ = 0;
  std::uint64_t pinned_ = 0;
};

}  // namespace

Exploration explore(const PartitionRequest& request, const Alone& alone, FinishLines lines, Joining& joining) {
  return Explorer(request, alone, std::move(lines), joining).run();
}

}  // namespace skmd::domain
