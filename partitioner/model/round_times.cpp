// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/round_times.h"

#include <algorithm>
#include <bit>

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

void RoundTimes::ended(Devices plan, std::optional<double> seconds, bool by_itself) {
  const std::optional<Last> before = last_;
  last_.reset();
  if (!seconds) return;
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
  if (plans_.size() >= kMaxRoundPlans && !plans_.contains(plan)) return;
  Rounds& rounds = plans_[plan];
  if (!before || before->plan != plan || !(*seconds > before->seconds)) return;
  if ((rounds.early && !early) || (rounds.joined && !joined)) rounds.count = 0;
  rounds.early = early;
  rounds.joined = joined;
  rounds.seconds[rounds.count % kKeptRounds] = *seconds - before->seconds;
  ++rounds.count;
  rounds.by_itself = rounds.by_itself && by_itself;
  if (trial_launches_ == 0 || plan != trial_) return;
  const bool hopeless = std::any_of(plans_.begin(), plans_.end(), [&](const auto& other) {
    return other.first != plan && other.second.count >= kFewestRounds &&
           *seconds - before->seconds > kHopelessTrial * other.second.median() + kTimerSeconds;
  });
  if (hopeless) trial_launches_ = 0;
}

std::optional<double> RoundTimes::median(Devices plan) const {
  const auto found = plans_.find(plan);
  if (found == plans_.end() || found->second.count < kEnoughRounds) return std::nullopt;
  return found->second.median();
}

const std::pair<const RoundTimes::Devices, RoundTimes::Rounds>* RoundTimes::best_but(Devices plan) const {
  const std::pair<const Devices, Rounds>* best = nullptr;
  for (const auto& other : plans_) {
    const Rounds& rounds = other.second;
    if (other.first == plan || rounds.count < kEnoughRounds || rounds.barred_until > launches_) continue;
    if (best == nullptr || rounds.median() < best->second.median()) best = &other;
  }
  return best;
}

std::optional<RoundTimes::Devices> RoundTimes::better_than(Devices plan, Rounds& rounds) {
  const auto* best = best_but(plan);
  if (best == nullptr) return std::nullopt;
  if (rounds.barred_until > launches_) return best->first;
  if (rounds.early || rounds.count < kFewestRounds) return std::nullopt;
  const bool small = launch_seconds_ > 0 && launch_seconds_ < kSmallPartOfRound * rounds.median();
  if (small && std::has_single_bit(plan) && std::has_single_bit(best->first)) return std::nullopt;
  const double longer = rounds.joined || rounds.count < kEnoughRounds ? kFarLongerRounds : kLongerRounds;
  if (rounds.median() <= best->second.median() * longer + kTimerSeconds) return std::nullopt;
  rounds.next_bar = std::clamp(rounds.next_bar * kRoundBarGrowth, kFirstRoundBar, kLongestBar);
  rounds.barred_until = launches_ + rounds.next_bar;
  rounds.count = 0;  // the next trial is judged by its own rounds
  return best->first;
}

bool RoundTimes::worth_trying(Devices plan, const Rounds& rounds, const Candidate& candidate,
                              const FirstRound& dear) const {
  if (rounds.early || rounds.count < kFewestRounds) return false;
  const auto before = plans_.find(candidate.plan);
  double seconds = candidate.seconds;
  if (before != plans_.end() && (&before->second == &rounds || before->second.count >= kEnoughRounds)) return false;
  // One or two rounds say more than a prediction.
  if (before != plans_.end() && before->second.count > 0) seconds = std::min(seconds, before->second.median());
  const double median = rounds.median();
  const double once = (candidate.plan & dear.devices) != 0 ? dear.seconds : 0.0;
  if (!(seconds > 0) || once > (median - seconds) * static_cast<double>(launches_)) return false;
  if (!candidate.whole_round)
    return rounds.count >= kKeptRounds && rounds.by_itself && seconds * kLongerRounds + kTimerSeconds < median;
  if (!std::has_single_bit(plan)) return false;
  return seconds * kMuchLongerRounds + kTimerSeconds < median && candidate.at_most <= kDearTrial * median;
}

std::optional<RoundTimes::Devices> RoundTimes::tried(Devices plan, const Rounds& rounds,
                                                     std::span<const Candidate> candidates, const FirstRound& dear) {
  if (trial_launches_ == 0)
    for (const Candidate& candidate : candidates) {
      if (candidate.plan == 0 || !worth_trying(plan, rounds, candidate, dear) || !tried_.insert(candidate.plan).second)
        continue;
      trial_ = candidate.plan;
      trial_launches_ = kTrialLaunches;
      break;
    }
  if (trial_launches_ == 0) return std::nullopt;
  --trial_launches_;
  return trial_;
}

std::optional<RoundTimes::Devices> RoundTimes::instead_of(Devices plan, std::span<const Candidate> candidates,
                                                          const FirstRound& dear, double launch_seconds) {
  ++launches_;
  wanted_ = plan;
  launch_seconds_ = launch_seconds;
  const auto found = plans_.find(plan);
  if (found == plans_.end()) return std::nullopt;
  if (const auto better = better_than(plan, found->second)) return better;
  return tried(plan, found->second, candidates, dear);
}

std::optional<RoundTimes::Devices> RoundTimes::instead_of_exploring() {
  ++launches_;
  if (trial_launches_ == 0) {
    const auto found = plans_.find(wanted_);
    return found == plans_.end() ? std::nullopt : better_than(wanted_, found->second);
  }
  --trial_launches_;
  return trial_;
}

}  // namespace skmd::domain
