// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/round_times.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "partitioner/model/round_constants.h"

namespace skmd::domain {

using namespace tuning;

double RoundTimes::Rounds::median() const {
  const std::size_t kept = std::min(count, kKeptRounds);
  std::array<double, kKeptRounds> sorted = seconds;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((kept - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(kept));
  return *middle;
}

void RoundTimes::remember(std::span<const Former> all) {
  for (const auto& [plan, former] : all) {
    if (plans_.size() >= kMaxRoundPlans && !plans_.contains(plan)) return;
    Rounds& rounds = plans_[plan];
    if (rounds.count > 0 || !(former.seconds > 0)) continue;
    rounds.seconds.fill(former.seconds);
    rounds.count = kKeptRounds;
    rounds.former = former.seconds;
    rounds.by_itself = former.by_themselves;
    former_total_ += former.total;
    rounds_of_one_ = std::max(rounds_of_one_, former.of_one);
  }
}

void RoundTimes::forget_former() {
  for (auto& [plan, rounds] : plans_) {
    if (std::exchange(rounds.former_bar, false)) rounds.barred_until = 0;
    if (rounds.former > 0) rounds.count = std::exchange(rounds.own, 0);
    rounds.former = 0.0;
  }
}

void RoundTimes::compare_with_former(Rounds& rounds) {
  if (++rounds.own < kEnoughRounds) return;
  rounds.count = rounds.own;  // the first ones kept: before them there were kKeptRounds, or none since a bar
  const double median = rounds.median();
  const bool differs =
      median > rounds.former * kOtherRounds + kTimerSeconds || median * kOtherRounds + kTimerSeconds < rounds.former;
  if (differs) return forget_former();
  rounds.former = 0.0;
}

RoundTimes::Told RoundTimes::ended(Devices plan, std::optional<double> seconds, bool by_itself) {
  const std::optional<Last> before = last_;
  last_.reset();
  if (!seconds) return Told::nothing;
  last_ = Last{plan, *seconds};
  const bool early = early_ends_ < kEarlyEnds;
  if (early) ++early_ends_;
  if (const Devices joins = plan & ~seen_; joins != 0 && seen_ != 0 && !std::has_single_bit(plan)) {
    joining_ = joins;
    joined_ends_ = kEarlyEnds;
  }
  seen_ |= plan;
  const bool joined = joined_ends_ > 0 && (plan & joining_) != 0 && !std::has_single_bit(plan);
  if (joined) --joined_ends_;
  if (plans_.size() >= kMaxRoundPlans && !plans_.contains(plan)) return Told::nothing;
  Rounds& rounds = plans_[plan];
  if (!before || before->plan != plan || !(*seconds > before->seconds)) return Told::nothing;
  if (rounds.former > 0 && (early || joined)) return Told::nothing;
  if ((rounds.early && !early) || (rounds.joined && !joined)) rounds.count = 0;
  rounds.early = early;
  rounds.joined = joined;
  rounds.seconds[rounds.count % kKeptRounds] = *seconds - before->seconds;
  ++rounds.count;
  // What former processes say of it holds until the first round of this one.
  rounds.by_itself = by_itself && (rounds.by_itself || (rounds.former > 0 && rounds.own == 0));
  if (rounds.former > 0) compare_with_former(rounds);
  const Told told = early || joined ? Told::nothing : Told::round;
  if (trial_launches_ == 0 || plan != trial_) return told;
  const bool hopeless = std::any_of(plans_.begin(), plans_.end(), [&](const auto& other) {
    return other.first != plan && other.second.count >= kFewestRounds &&
           *seconds - before->seconds > kHopelessTrial * other.second.median() + kTimerSeconds;
  });
  if (!hopeless) return told;
  trial_launches_ = trial_longer_ = 0;
  return Told::hopeless;
}

std::optional<double> RoundTimes::median(Devices plan, std::size_t fewest) const {
  const auto found = plans_.find(plan);
  if (found == plans_.end() || found->second.count < fewest) return std::nullopt;
  return found->second.median();
}

bool RoundTimes::by_themselves(Devices plan) const {
  const auto found = plans_.find(plan);
  return found != plans_.end() && found->second.by_itself;
}

bool RoundTimes::may_follow(Devices plan, const Rounds& former, const Rounds& rounds,
                            const ChangeOfPlan& change) const {
  if ((plan & ~change.possible) != 0) return false;
  if (former.followed) return true;
  if ((change.moves && asked_ <= kEarlyEnds) || !(former.by_itself || change.leads)) return false;
  if ((plan & change.devices) == 0 || change.seconds == 0) return true;
  return rounds.count > 0 && change.seconds <= (rounds.median() - former.median()) * rounds_of_one_;
}

const std::pair<const RoundTimes::Devices, RoundTimes::Rounds>* RoundTimes::best_but(Devices plan, const Rounds& rounds,
                                                                                     const ChangeOfPlan& change) const {
  const std::pair<const Devices, Rounds>* best = nullptr;
  for (const auto& other : plans_) {
    const Rounds& its = other.second;
    if (other.first == plan || its.count < kEnoughRounds || its.barred_until > launches_) continue;
    if (its.former > 0 && !may_follow(other.first, its, rounds, change)) continue;
    if (best == nullptr || its.median() < best->second.median()) best = &other;
  }
  return best;
}

std::optional<RoundTimes::Devices> RoundTimes::better_than(Devices plan, Rounds& rounds, const ChangeOfPlan& change) {
  const auto* best = best_but(plan, rounds, change);
  if (best == nullptr) return std::nullopt;
  if (rounds.barred_until > launches_) return best->first;
  if (rounds.early || rounds.count < kFewestRounds) return std::nullopt;
  const bool small = launch_seconds_ > 0 && launch_seconds_ < kSmallPartOfRound * rounds.median();
  if (small && std::has_single_bit(plan) && std::has_single_bit(best->first)) return std::nullopt;
  const double longer = rounds.joined || rounds.count < kEnoughRounds  ? kFarLongerRounds
                        : best->second.former > 0 || rounds.former > 0 ? kLongerBefore
                                                                       : kLongerRounds;
  if (rounds.median() <= best->second.median() * longer + kTimerSeconds) return std::nullopt;
  rounds.next_bar = std::clamp(rounds.next_bar * kRoundBarGrowth, kFirstRoundBar, kLongestBar);
  rounds.barred_until = launches_ + rounds.next_bar;
  rounds.former_bar = best->second.former > 0;
  rounds.count = rounds.own = 0;  // the next trial is judged by its own rounds
  if (best->second.former > 0) plans_[best->first].followed = true;
  return best->first;
}

bool RoundTimes::worth_trying(Devices plan, const Rounds& rounds, const Candidate& candidate,
                              const ChangeOfPlan& change) const {
  if (rounds.early || early_ends_ < kEarlyEnds || rounds.count < kFewestRounds) return false;
  const auto before = plans_.find(candidate.plan);
  double seconds = candidate.seconds;
  if (before != plans_.end() && before->second.barred_until > launches_) return false;
  if (before != plans_.end() && (&before->second == &rounds || before->second.count >= kEnoughRounds)) return false;
  // One or two rounds say more than a prediction.
  if (before != plans_.end() && before->second.count > 0) seconds = std::min(seconds, before->second.median());
  const double median = rounds.median();
  const double once = (candidate.plan & change.devices) != 0 ? change.seconds : 0.0;
  if (!(seconds > 0) || once > (median - seconds) * (static_cast<double>(launches_) + former_total_)) return false;
  if (!candidate.whole_round)
    return rounds.count >= kKeptRounds && rounds.by_itself && seconds * kLongerRounds + kTimerSeconds < median;
  if (!std::has_single_bit(plan)) return false;
  return seconds * kMuchLongerRounds + kTimerSeconds < median && candidate.at_most <= kDearTrial * median;
}

bool RoundTimes::goes_on(const Rounds& rounds) {
  const auto found = plans_.find(trial_);
  if (trial_longer_ == 0 || found == plans_.end() || found->second.count < kFewestRounds || rounds.count == 0)
    return false;
  const Rounds& trial = found->second;
  if (std::exchange(trial_rounds_, trial.count) == trial.count) return false;  // it has no new round
  const std::size_t kept = std::min(trial.count, kKeptRounds);
  const double last = trial.seconds[(trial.count - 1) % kKeptRounds];
  for (std::size_t i = 2; i <= kept; ++i)
    if (trial.seconds[(trial.count - i) % kKeptRounds] < last * kLongerRounds) return false;
  return last <= rounds.median() * kFarLongerRounds;
}

std::optional<RoundTimes::Devices> RoundTimes::tried(Devices plan, const Rounds& rounds,
                                                     std::span<const Candidate> candidates,
                                                     const ChangeOfPlan& change) {
  if (trial_launches_ == 0 && goes_on(rounds)) {
    --trial_longer_;
    trial_launches_ = 1;
  }
  if (trial_launches_ == 0)
    for (const Candidate& candidate : candidates) {
      if (candidate.plan == 0 || !worth_trying(plan, rounds, candidate, change) ||
          !tried_.insert(candidate.plan).second)
        continue;
      trial_ = candidate.plan;
      trial_launches_ = kTrialLaunches;
      trial_longer_ = kLongerTrial;
      trial_rounds_ = 0;
      break;
    }
  if (trial_launches_ == 0) return std::nullopt;
  --trial_launches_;
  return trial_;
}

std::optional<RoundTimes::Devices> RoundTimes::instead_of(Devices plan, std::span<const Candidate> candidates,
                                                          const ChangeOfPlan& change, double launch_seconds) {
  ++launches_;
  ++asked_;
  wanted_ = plan;
  launch_seconds_ = launch_seconds;
  const auto found = plans_.find(plan);
  if (found == plans_.end()) return std::nullopt;
  if (const auto better = better_than(plan, found->second, change)) return better;
  return tried(plan, found->second, candidates, change);
}

std::optional<RoundTimes::Devices> RoundTimes::instead_of_exploring(const ChangeOfPlan& change) {
  ++launches_;
  ++asked_;
  if (trial_launches_ == 0) {
    const auto found = plans_.find(wanted_);
    return found == plans_.end() ? std::nullopt : better_than(wanted_, found->second, change);
  }
  --trial_launches_;
  return trial_;
}

}  // namespace skmd::domain
