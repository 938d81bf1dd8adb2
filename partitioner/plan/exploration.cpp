// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/exploration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "partitioner/plan/exploration_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr double kForever = std::numeric_limits<double>::infinity();

double part_of(const PartitionRequest& request, std::uint64_t groups) {
  return static_cast<double>(groups) / static_cast<double>(request.groups);
}

/// True if the launch waits for no transfer on the best single device: in a loop that leaves its bytes on the devices
/// they move once, and later launches gain from a split.
bool stays(const PartitionRequest& request, const Alone& alone) {
  const Phases moving = PhaseCosts(request).moving(alone.device, {0, request.groups});
  return moving.arriving + moving.running == 0.0;
}

class Explorer {
 public:
  Explorer(const PartitionRequest& request, const Alone& alone, CompletionCurves lines, Joining& joining)
      : request_(request),
        alone_(alone),
        costs_(request, stays(request, alone) ? Arriving::there : Arriving::now),
        rewritten_(costs_.moving(alone.device, {0, request.groups}).before > 0),
        lines_(std::move(lines)),
        joining_(joining) {
    fill(lines_, static_cast<double>(request.groups));
  }

  Exploration run() {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> candidates;
    for (std::uint32_t d = 0; d < request_.devices.size(); ++d) {
      if (!request_.devices[d].eligible || d == alone_.device) continue;
      if (const std::uint64_t groups = next_groups(d); groups != 0) candidates.emplace_back(d, groups);
    }
    for (const auto& [device, groups] : candidates) {
      if (is_doubted(request_.devices[device])) continue;
      found_.unknown.push_back(device);
      std::erase_if(lines_, [device = device](const CompletionCurve& line) { return line.device == device; });
    }
    double known = fill(lines_, static_cast<double>(request_.groups)) + request_.split_seconds;
    // Curves through whole launches do not include the bytes that each device needs independent of its slice.
    if (const Plan* previous = request_.previous; previous != nullptr && previous->slices.size() > 1)
      known = std::max(known, previous->predicted_seconds);
    reached_seconds_ = std::min(alone_.seconds, known);
    const std::size_t looked_at = first_of_many(candidates);
    for (std::size_t i = 0; i < looked_at; ++i) consider(candidates[i].first, candidates[i].second);
    if (looked_at < candidates.size() && !found_.probes.empty()) found_.wanted = true;
    return std::move(found_);
  }

 private:
  /// Puts those first, where they are many, that would run a group soonest with its transfers; returns how many are
  /// looked at. Those behind them gain less; their turn comes when the first ones are known, or gain nothing.
  [[nodiscard]] std::size_t first_of_many(std::vector<std::pair<std::uint32_t, std::uint64_t>>& candidates) {
    if (request_.devices.size() <= kManyExplored || candidates.size() <= kLookedAt) return candidates.size();
    std::vector<double> seconds(request_.devices.size());
    for (const auto& [device, groups] : candidates)
      seconds[device] = request_.devices[device].launch_seconds + costs_.moving(device, {0, request_.groups}).sum() +
                        static_cast<double>(request_.groups) / hoped_at_best(request_.devices[device]);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const auto& a, const auto& b) { return seconds[a.first] < seconds[b.first]; });
    return kLookedAt;
  }

  /// Groups per second of the device that runs the launch best.
  [[nodiscard]] double best_rate() const {
    return static_cast<double>(request_.groups) / running_seconds(request_, alone_.device, request_.groups);
  }
  /// The rate that an unmeasured device is assumed to reach, from its strength.
  [[nodiscard]] double hoped_rate(const DeviceModel& model) const {
    return best_rate() * model.strength / request_.devices[alone_.device].strength;
  }

  /// The rate of a measured device under the assumptions that its units were partly idle and its slices began late.
  [[nodiscard]] static double filled_rate(const DeviceModel& model) {
    const auto groups = static_cast<double>(model.measured_groups);
    const double seconds = groups / model.groups_per_second;
    const double started = seconds - std::min(kSliceStart, kSliceStartPart * seconds);
    return std::max(groups, static_cast<double>(model.units)) / started;
  }

  /// Groups that the last plan gave the device. If that many were measured, plans themselves try larger slices.
  [[nodiscard]] std::uint64_t groups_before(std::uint32_t device) const {
    const Plan* previous = request_.previous;
    if (previous == nullptr || previous->exploring) return kAnySpan;
    for (const Slice& slice : previous->slices)
      if (slice.device == device && previous->slices.size() > 1) return slice.span.size();
    return kAnySpan;
  }

  [[nodiscard]] bool is_doubted(const DeviceModel& model) const { return domain::is_doubted(request_, model); }

  /// A first slice of so many groups at most.
  [[nodiscard]] std::uint64_t first_slice(double groups) const {
    const auto most = static_cast<double>(request_.groups / kFirstSlicePart);
    const auto first = static_cast<std::uint64_t>(std::max(1.0, std::min(groups, most)));
    return first > request_.granularity ? first - first % request_.granularity : first;
  }

  /// Groups to explore on a doubted device; 0: plans measure it, since it took part in the last plan or there is none.
  [[nodiscard]] std::uint64_t doubted_groups(std::uint32_t device) const {
    const Plan* previous = request_.previous;
    if (previous == nullptr || previous->exploring) return 0;
    for (const Slice& slice : previous->slices)
      if (slice.device == device) return 0;
    const DeviceModel& model = request_.devices[device];
    return first_slice(alone_.seconds * model.groups_per_second / (1.0 + model.relative_error));
  }

  /// Groups of the next exploring slice; 0: the device is known.
  [[nodiscard]] std::uint64_t next_groups(std::uint32_t device) {
    const DeviceModel& model = request_.devices[device];
    if (!is_measured(model))
      return first_slice(alone_.seconds * std::min(best_rate() / kFirstSliceSlower, hoped_rate(model) / kPessimism));
    if (is_doubted(model)) return doubted_groups(device);
    const CompletionCurve* line = line_of(lines_, device);
    if (line == nullptr || model.measured_groups >= request_.groups) return 0;
    if (model.measured_groups >= groups_before(device)) return 0;
    const auto longest = static_cast<double>(model.measured_groups);
    if (line->share > kExploredBeyond * longest)
      return static_cast<std::uint64_t>(std::llround(std::min(line->share, kSliceGrowth * longest)));
    return cautious_groups(device);
  }

  /// Groups of a longer slice for a device that gains nothing at the rate of its short slices, but much if the start of
  /// threads dominated these. Only if the application writes new inputs for each launch, so that exploring moves no
  /// resident bytes.
  [[nodiscard]] std::uint64_t cautious_groups(std::uint32_t device) {
    const DeviceModel& model = request_.devices[device];
    const auto longest = static_cast<double>(model.measured_groups);
    if (!rewritten_ || longest > kShortSlice * model.groups_per_second || cautious_ == 0) return 0;
    if (request_.devices.size() > kManyExplored) --cautious_;
    const Filled filled = with(device, filled_rate(model), costs_.moving(device, {0, request_.groups}));
    const bool gains = filled.seconds + request_.split_seconds < (1.0 - kCautiousGain) * alone_.seconds;
    if (!gains || filled.share <= kExploredBeyond * longest) return 0;
    return static_cast<std::uint64_t>(std::llround(std::min(filled.share, kCautiousGrowth * longest)));
  }

  struct Filled {
    double seconds = kForever;
    double share = 0.0;  // groups of the device in question
  };
  /// All known devices together with this one at `rate` groups per second.
  [[nodiscard]] Filled with(std::uint32_t device, double rate, const Phases& moving) const {
    CompletionCurves lines = lines_;
    std::erase_if(lines, [device](const CompletionCurve& other) { return other.device == device; });
    if (lines.size() == kMaxLines) return {};
    CompletionCurve& line = lines.emplace_back();
    line.device = device;
    line.fixed = request_.devices[device].launch_seconds;
    begin(line, static_cast<double>(request_.groups), moving);
    line.per_group += 1.0 / rate;
    const double seconds = fill(lines, static_cast<double>(request_.groups));
    return {seconds, lines.back().share};
  }

  /// The optimistic rate, groups per second.
  [[nodiscard]] double hoped_at_best(const DeviceModel& model) const {
    if (!is_measured(model)) return kHope * hoped_rate(model);
    if (!is_doubted(model)) return kOptimism * filled_rate(model);
    const double better = 1.0 + model.relative_error;  // 80 % are within the error: twice that, as a factor
    return better * better * model.groups_per_second;
  }

  /// The part of the time reached without the device that it saves at its optimistic rate.
  [[nodiscard]] double hoped_gain(std::uint32_t device, const Phases& moving) {
    const DeviceModel& model = request_.devices[device];
    const double finish = with(device, hoped_at_best(model), moving).seconds;
    return 1.0 - (finish + request_.split_seconds) / reached_seconds_;
  }

  /// Pessimistic seconds of the slice, without its transfers.
  [[nodiscard]] double latest_end(const DeviceModel& model, std::uint64_t groups) const {
    const auto count = static_cast<double>(groups);
    if (is_doubted(model)) return count / model.groups_per_second * (1.0 + model.relative_error);
    if (is_measured(model)) return count / model.groups_per_second;
    if (model.first_use_groups_per_second > 0) return count / model.first_use_groups_per_second;
    return std::max(count, static_cast<double>(model.units)) * kPessimism / hoped_rate(model);
  }

  /// Seconds that the slice may add to the launch by ending after it. `moving`: seconds of its transfers.
  [[nodiscard]] double lateness(std::uint32_t device, std::uint64_t groups, double moving) const {
    return std::max(0.0, latest_end(request_.devices[device], groups) + moving - alone_.seconds);
  }
  /// Seconds that exploring the device adds in any case.
  [[nodiscard]] double price(std::uint32_t device) const {
    return request_.devices[device].first_use_seconds + request_.split_seconds + request_.planning_seconds;
  }

  void consider(std::uint32_t device, std::uint64_t groups) {
    const Phases moving_phases = costs_.moving(device, {0, request_.groups});
    const double moving_all = moving_phases.sum();
    const double gain = hoped_gain(device, moving_phases);
    if (!(gain >= kLeastGain)) return;
    const bool wanted_before = std::exchange(found_.wanted, true);
    const double lasted = request_.experience.seconds + reached_seconds_;
    const double spent = request_.experience.lost_seconds + stakes_;
    const auto affords = [&](double late, double more) {
      const double stake = spent + price(device) + late + more;
      return stake <= kAtStake * gain * lasted && (late == 0 || stake <= kMaxLate * lasted);
    };
    if (!request_.may_search || pinned_ + groups >= request_.groups) return;
    if (!affords(lateness(device, groups, moving_all * part_of(request_, groups)), 0.0)) return;
    // Costs of joining and transfers are evaluated only now, since that is expensive.
    const double joining = joining_.seconds();
    if (joining >= gain * reached_seconds_) {
      found_.wanted = wanted_before;
      return;
    }
    const std::uint64_t last = request_.groups - pinned_;
    const double moving = moving_seconds(request_, device, {last - groups, last});
    const double late = lateness(device, groups, moving);
    if (!affords(late, joining)) return;
    const double own = price(device) + late + joining;
    stakes_ += own;
    pinned_ += groups;
    if (is_doubted(request_.devices[device])) found_.unknown.push_back(device);
    found_.probes.push_back({device, groups});
  }

  const PartitionRequest& request_;
  const Alone& alone_;
  PhaseCosts costs_;
  const bool rewritten_;  // the application writes new inputs for each launch: no bytes stay on devices
  CompletionCurves lines_;
  Joining& joining_;
  Exploration found_;
  double reached_seconds_ = 0;  // by what is known
  double stakes_ = 0;
  std::size_t cautious_ = kLookedAt;  // devices that cautious_groups() still looks at, of many
  std::uint64_t pinned_ = 0;
};

}  // namespace

bool is_doubted(const PartitionRequest& request, const DeviceModel& model) {
  return is_measured(model) && model.source > ModelSource::process && model.relative_error > kDoubted &&
         model.measured_groups >= request.groups;
}

Exploration explore(const PartitionRequest& request, const Alone& alone, CompletionCurves lines, Joining& joining) {
  return Explorer(request, alone, std::move(lines), joining).run();
}

}  // namespace skmd::domain
