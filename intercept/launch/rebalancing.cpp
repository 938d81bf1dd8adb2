// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/rebalancing.h"

#include <algorithm>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/preemption.h"
#include "intercept/launch/question.h"
#include "intercept/launch/running_constants.h"
#include "intercept/memory/link_rates.h"
#include "intercept/object/kernel.h"
#include "partitioner/plan/prediction.h"
#include "partitioner/plan/rebalance_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

bool is_allowed(const Machine& machine, const Launch& launch) {
  const Settings& settings = machine.settings;
  if (settings.preempt.mode == PreemptMode::off || settings.preempt.test || settings.verify) return false;
  if (settings.policy.mode != domain::PartitionMode::automatic || machine.devices.size() < 2) return false;
  if (launch.part != nullptr || launch.kernel->opaque()) return false;
  return (launch.kernel->traits().facts & domain::kFactSpinning) == 0;
}

bool is_joined(const Decision& decision) {
  return !decision.whole && std::any_of(decision.merge.joined.begin(), decision.merge.joined.end(),
                                        [](const domain::RangeSet& joined) { return !joined.empty(); });
}

double seconds_of(const domain::Moving& bytes, const domain::DeviceModel& model) {
  const double host = LinkRates::get().host();
  return static_cast<double>(bytes.linked) / model.bytes_to_per_second +
         (host > 0 ? static_cast<double>(bytes.copied) / host : 0.0);
}

}  // namespace

Rebalancing::Rebalancing(Machine& machine, const Decision& decision, const DividedAnew& before)
    : machine_(machine), decision_(decision), before_(before), parts_(machine.devices.size()) {
  seen_.resize(parts_.size());
  rule_.before = before.times;
  rule_.cost_seconds = kSplitSeconds;
  for (Part& part : parts_) part.ended.store(true, std::memory_order_relaxed);
  for (const SliceWork& slice : decision.slices) {
    Part& part = parts_[slice.device];
    part.known.groups = part.known.left = slice.span.size();
    part.known.predicted_seconds = slice.predicted_seconds;
    part.known.took_part = true;
    part.ended.store(false, std::memory_order_relaxed);
  }
}

Rebalancing::~Rebalancing() = default;

std::unique_ptr<Rebalancing> Rebalancing::of(Machine& machine, const Launch& launch, const LaunchView& view,
                                             const Decision& decision, const DividedAnew& before) {
  if (!is_allowed(machine, launch) || before.times >= domain::tuning::kMaxRebalances) return nullptr;
  // Its bytes take their time, for the launches after it: given back, they would have moved for nothing.
  if (decision.moves_in) return nullptr;
  std::unique_ptr<Rebalancing> made(new Rebalancing(machine, decision, before));
  made->expect(launch, view);
  return made->may_help() ? std::move(made) : nullptr;
}

void Rebalancing::expect(const Launch& launch, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  rule_.may_split = !shape.confined();
  if (is_joined(decision_)) rule_.cost_seconds += expected_joining_seconds(machine_, launch, view);
  const auto point = [&]() -> const domain::Point& { return shape.point(launch); };
  std::vector<domain::DeviceModel> models;
  for (std::uint32_t d = 0; d < parts_.size(); ++d)
    models.push_back(machine_.model->predict(launch.kernel->id(), d, launch.range, point));
  set_links(machine_, models);
  const std::uint32_t from = decision_.slices.front().device;
  const domain::GroupSpan whole{0, launch.range.group_total()};
  for (std::uint32_t d = 0; d < parts_.size(); ++d) {
    domain::RunningPart& known = parts_[d].known;
    const bool may = may_move(machine_, launch, shape.eligible(), from, d) && !is_stopped(machine_, d);
    if (!known.took_part && !may) continue;
    if (domain::is_measured(models[d])) known.groups_per_second = models[d].groups_per_second;
    if (d < before_.groups_per_second.size() && before_.groups_per_second[d] > 0)
      known.groups_per_second = before_.groups_per_second[d];
    // As if it needed all of the launch's bytes that it will not have: which groups it would get is not known.
    known.fixed_seconds = seconds_of(bytes_to(machine_, view, d, view.whole()), models[d]);
    if (known.took_part) continue;
    known.fixed_seconds += models[d].launch_seconds;
    if (is_first_use(launch, view, d, whole)) known.fixed_seconds += models[d].first_use_seconds;
  }
  take_off(view, models);
}

/// What a slice brings to its device need not be brought again, and was planned.
void Rebalancing::take_off(const LaunchView& view, std::span<const domain::DeviceModel> models) {
  for (const SliceWork& slice : decision_.slices) {
    double& seconds = parts_[slice.device].known.fixed_seconds;
    const double own = seconds_of(bytes_to(machine_, view, slice.device, *slice.touches), models[slice.device]);
    seconds = std::max(0.0, seconds - own);
    // Its time counts from its submission, its bytes included.
    double& predicted = parts_[slice.device].known.predicted_seconds;
    if (predicted > 0) predicted += own;
  }
}

/// Another device than one that runs alone.
bool Rebalancing::may_help() const {
  if (decision_.slices.size() > 1) return true;
  // Without a prediction nothing tells that the slice is slow.
  if (!(decision_.slices.front().predicted_seconds > 0)) return false;
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return !part.known.took_part && part.known.groups_per_second > 0; });
}

void Rebalancing::watch(std::size_t index, std::shared_ptr<StopToken> token, StopForm form) {
  Part& part = parts_[decision_.slices[index].device];
  part.is_long = true;
  part.known.stoppable = token != nullptr;
  part.known.stop_seconds = form == StopForm::group ? kStopBetweenGroups : machine_.settings.preempt.seconds;
  part.token = std::move(token);
}

void Rebalancing::begin() {
  begin_ = host_now();
  next_look_.store(begin_ + kFirstLookNs, std::memory_order_relaxed);
  begun_.store(true, std::memory_order_release);
}

bool Rebalancing::wanted() noexcept {
  if (asked()) return true;
  if (!begun_.load(std::memory_order_acquire)) return false;
  if (host_now() >= next_look_.load(std::memory_order_relaxed)) look();
  return asked();
}

void Rebalancing::look() noexcept {
  if (!begun_.load(std::memory_order_acquire) || asked()) return;
  // One thread at a time, which looks once more for those that came meanwhile: they may know of another end.
  if (waiting_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
  std::uint32_t seen = 0;
  do {
    seen = waiting_.load(std::memory_order_acquire);
    const std::uint64_t time = host_now();
    next_look_.store(time + kLookAgainNs, std::memory_order_relaxed);
    if (is_worth_it(time)) {
      asked_.store(true, std::memory_order_release);
      for (const Part& part : parts_)
        if (part.token != nullptr) part.token->request();
    }
  } while (!waiting_.compare_exchange_strong(seen, 0, std::memory_order_acq_rel));
}

domain::RunningPart Rebalancing::now(std::uint32_t device, std::uint64_t time) const {
  const Part& part = parts_[device];
  domain::RunningPart now = part.known;
  if (part.ended.load(std::memory_order_acquire)) {
    now.left = 0;
    const double own = part.own_rate.load(std::memory_order_relaxed);
    if (own > 0) now.groups_per_second = own;
    // Launches of other queues have it, too.
    const std::uint32_t slices = machine_.long_slices[device].load(std::memory_order_relaxed);
    now.groups_per_second /= 1.0 + (part.is_long && slices != 0 ? slices - 1 : slices);
    return now;
  }
  now.seconds = static_cast<double>(time - begin_) * 1e-9;
  if (part.token == nullptr) return now;
  const StopToken::Progress progress = part.token->progress();
  now.left -= std::min(now.left - 1, progress.groups);  // it has not ended: some group is left
  now.timed = progress.timed;
  now.timed_seconds = static_cast<double>(progress.nanoseconds) * 1e-9;
  now.fixed_seconds = 0;
  return now;
}

bool Rebalancing::is_worth_it(std::uint64_t time) noexcept {
  for (std::uint32_t d = 0; d < parts_.size(); ++d) seen_[d] = now(d, time);
  domain::RebalanceRule rule = rule_;
  rule.seconds = static_cast<double>(time - begin_) * 1e-9;
  return domain::rebalance(seen_, rule).has_value();
}

void Rebalancing::ended(std::size_t index, const SliceReport& report, bool first_use) noexcept {
  Part& part = parts_[decision_.slices[index].device];
  double own =
      report.run_ns != 0 ? static_cast<double>(report.span.size()) * 1e9 / static_cast<double>(report.run_ns) : 0;
  if (part.token != nullptr)
    if (const auto progress = part.token->progress();
        progress.timed >= domain::tuning::kTellingGroups && progress.nanoseconds != 0)
      own = static_cast<double>(progress.timed) * 1e9 / static_cast<double>(progress.nanoseconds), first_use = false;
  if (first_use) own = std::max(own, part.known.groups_per_second);
  part.own_rate.store(own, std::memory_order_relaxed);
  part.ended.store(true, std::memory_order_release);
  look();
}

DividedAnew Rebalancing::outcome() const {
  DividedAnew outcome{before_.times + 1, before_.groups_per_second};
  outcome.groups_per_second.resize(parts_.size());
  for (std::size_t d = 0; d < parts_.size(); ++d)
    if (const double own = parts_[d].own_rate.load(std::memory_order_relaxed); own > 0)
      outcome.groups_per_second[d] = own;
  return outcome;
}

}  // namespace skmd::icd
