// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/round_times.h"

#include <algorithm>
#include <utility>

namespace skmd::domain {
namespace {

constexpr std::size_t kEnough = 3;  // rounds that tell; two, where they are far longer
constexpr std::size_t kFewest = 2;
constexpr double kLonger = 1.04;  // clearly: medians of five rounds of a quiet machine differ by less
constexpr double kFarLonger = 1.3;
constexpr double kTimer = 20e-6;         // seconds by which times of ends may be off
constexpr std::uint64_t kFirstBar = 64;  // launches; each bar of a plan is four times as long as the one before
constexpr std::uint64_t kLongerBars = 4;
constexpr std::uint64_t kLongestBar = std::uint64_t{1} << 40;
constexpr std::uint32_t kTrial = 4;     // launches: the way there, and as many rounds as tell
constexpr std::size_t kMostPlans = 64;  // with different plans of others: machines change, and applications do

}  // namespace

double RoundTimes::Rounds::median() const {
  const std::size_t kept = std::min(count, kKept);
  std::array<double, kKept> sorted = seconds;
  const std::size_t index = kept < kEnough ? kept - 1 : (kept - 1) / 2;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(kept));
  return *middle;
}

void RoundTimes::ended(Devices plan, std::optional<double> seconds, Others others) {
  const std::optional<Last> before = last_;
  last_.reset();
  if (!seconds) return;
  last_ = Last{plan, *seconds};
  others_ = others;
  const Key key{others, plan};
  if (rounds_.size() >= kMostPlans && !rounds_.contains(key)) return;
  Rounds& rounds = rounds_[key];
  if (!before || before->plan != plan || !(*seconds > before->seconds)) return;
  rounds.add(*seconds - before->seconds);
  if (trial_ && trial_->plan == plan) trial_->rounds.add(*seconds - before->seconds);
}

std::optional<double> RoundTimes::median(Devices plan) const {
  const auto found = rounds_.find({0, plan});
  if (found == rounds_.end() || found->second.count < kEnough) return std::nullopt;
  return found->second.median();
}

bool RoundTimes::is_barred(Devices plan) const {
  const auto found = bars_.find(plan);
  return found != bars_.end() && found->second.until > launches_;
}

RoundTimes::Devices RoundTimes::bar(Devices plan, Devices instead) {
  Bar& bar = bars_[plan];
  bar.launches = std::clamp(bar.launches * kLongerBars, kFirstBar, kLongestBar);
  bar.until = launches_ + bar.launches;
  bar.instead = instead;
  for (auto& [key, rounds] : rounds_)
    if (key.second == plan) rounds.count = 0;  // the next trial is judged by its own rounds
  return instead;
}

std::optional<RoundTimes::Devices> RoundTimes::better_than(Devices plan, const Rounds& rounds) {
  if (rounds.count < kFewest) return std::nullopt;
  std::optional<Devices> best;
  double seconds = 0.0;
  for (const auto& [key, other] : rounds_) {
    if (key.first != others_ || key.second == plan || other.count < kEnough || is_barred(key.second)) continue;
    if (best && other.median() >= seconds) continue;
    best = key.second;
    seconds = other.median();
  }
  const double longer = rounds.count < kEnough ? kFarLonger : kLonger;
  if (!best || rounds.median() <= seconds * longer + kTimer) return std::nullopt;
  return bar(plan, *best);
}

std::optional<double> RoundTimes::best_measured(Devices plan) const {
  std::optional<double> best;
  for (const auto& [key, rounds] : rounds_)
    if (key.second == plan && rounds.count > 0 && (!best || rounds.median() < *best)) best = rounds.median();
  return best;
}

void RoundTimes::begin_trial(const Rounds& rounds, Devices plan, std::span<const Candidate> candidates) {
  const double median = rounds.median();
  const auto worth = [&](Devices other, double seconds) {
    if (other == plan || is_barred(other) || !(seconds > 0) || seconds * kLonger + kTimer >= median) return false;
    if (!tried_.insert({others_, other}).second) return false;
    trial_ = Trial{other, kTrial, median, {}};
    return true;
  };
  if (others_ != 0) {
    std::set<Devices> known;
    for (const auto& [key, other] : rounds_) known.insert(key.second);
    for (const Devices other : known)
      if (const auto seconds = best_measured(other); seconds && worth(other, *seconds)) return;
    return;
  }
  for (const Candidate& candidate : candidates) {
    const auto before = rounds_.find({0, candidate.plan});
    double seconds = candidate.seconds;
    if (before != rounds_.end() && before->second.count >= kEnough) continue;  // better_than() knows it
    // One or two rounds say more than a prediction.
    if (before != rounds_.end() && before->second.count > 0) seconds = std::min(seconds, before->second.median());
    if (worth(candidate.plan, seconds)) return;
  }
}

std::optional<RoundTimes::Devices> RoundTimes::tried(Devices plan, const Rounds* rounds,
                                                     std::span<const Candidate> candidates) {
  if (trial_ && trial_->launches == 0) {
    const Trial trial = *std::exchange(trial_, std::nullopt);
    if (trial.plan != plan && trial.rounds.count >= kFewest && trial.rounds.median() * kLonger + kTimer < trial.before)
      return bar(plan, trial.plan);
  }
  if (!trial_ && rounds != nullptr && rounds->count >= kKept) begin_trial(*rounds, plan, candidates);
  if (!trial_) return std::nullopt;
  --trial_->launches;
  return trial_->plan;
}

std::optional<RoundTimes::Devices> RoundTimes::instead_of(Devices plan, std::span<const Candidate> candidates) {
  ++launches_;
  if (is_barred(plan)) return bars_[plan].instead;
  const auto found = rounds_.find({others_, plan});
  const Rounds* rounds = found == rounds_.end() ? nullptr : &found->second;
  if (!trial_ && rounds != nullptr)
    if (const auto better = better_than(plan, *rounds)) return better;
  return tried(plan, rounds, candidates);
}

}  // namespace skmd::domain
