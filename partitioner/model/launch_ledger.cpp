// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/launch_ledger.h"

#include <algorithm>
#include <utility>

#include "partitioner/model/round_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

double lost_by_first_use(double lost, double round) {
  return std::max(std::min(lost, kFirstUsePart * round), lost - kFirstUseRounds * round);
}

}  // namespace

double lost_seconds(const LaunchOutcome& outcome) {
  if (!outcome.split || !(outcome.alone_seconds > 0) || !(outcome.seconds > outcome.alone_seconds)) return 0.0;
  return std::min(outcome.seconds - outcome.alone_seconds, kMaxLostSeconds + kMaxLostTimes * outcome.alone_seconds);
}

std::uint64_t plan_id(std::uint64_t before, const Slice& slice) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a, a number at a time
  std::uint64_t id = before == 0 ? 0xcbf29ce484222325 : before;
  for (const std::uint64_t part : {std::uint64_t{slice.device}, slice.span.first, slice.span.last})
    id = (id ^ part) * kPrime;
  return id;
}

void LaunchLedger::add(const LaunchOutcome& outcome) {
  ++launches_;
  if ((outcome.devices & ~devices_) != 0) {
    if (devices_ != 0) lift_bar();
    devices_ |= outcome.devices;
  }
  const bool moved = outcome.plan != std::exchange(last_plan_, outcome.plan);
  // After a cold first launch, predictions are too long at first.
  const bool timed = outcome.split || outcome.seconds > 0;
  seconds_ += timed ? std::min(outcome.seconds, outcome.alone_seconds) : outcome.alone_seconds;
  seconds_ += std::max(0.0, outcome.round_seconds - outcome.alone_seconds);
  if (!outcome.split || !(outcome.alone_seconds > 0)) return;
  const double lost = lost_seconds(outcome);
  // The cost of moving bytes from one plan to another occurs once.
  const bool arriving = moved && ++arrivals_ <= kMaxArrivals;
  if (!moved) arrivals_ = 0;
  const double round = std::max(outcome.alone_seconds, outcome.round_seconds);
  const double counted = outcome.first_uses == 0 ? lost : lost_by_first_use(lost, round);
  lost_seconds_ += arriving ? std::min(counted, round) : counted;
  // Exploring slices and compilations were not predicted to win.
  if (outcome.exploring || outcome.first_uses != 0 || (arriving && lost > 0)) return;
  saved_seconds_ = kSavedKept * saved_seconds_ + (lost > 0 ? -lost : outcome.alone_seconds - outcome.seconds);
  if (lost == 0) {
    lost_ = 0;
    on_trial_ = false;
    return;
  }
  ++lost_;
  if (lost_ < kMaxLostSplits && !on_trial_) return;
  // Something else ran on a device for two launches; without it, splits saved more than they lost now.
  if (saved_seconds_ > 0) return;
  next_bar_ = std::clamp(2 * next_bar_, kFirstSplitBar, kLongestBar);
  barred_until_ = launches_ + next_bar_;
  lost_ = 0;
  saved_seconds_ = 0.0;
  on_trial_ = true;
}

void LaunchLedger::lift_bar() {
  lost_ = 0;
  saved_seconds_ = 0.0;
  barred_until_ = 0;
  next_bar_ = 0;
  on_trial_ = false;
}

void LaunchLedger::devices_changed() {
  lift_bar();
  ++changes_;
}

Experience LaunchLedger::experience() const { return {seconds_, lost_seconds_, launches_ < barred_until_, changes_}; }

}  // namespace skmd::domain
