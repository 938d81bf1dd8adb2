// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/launch_ledger.h"

#include <algorithm>

namespace skmd::domain {
namespace {

constexpr std::uint32_t kMostLost = 2;
constexpr std::uint64_t kFirstBar = 64;  // launches; each one is twice as long as the one before
constexpr std::uint64_t kLongestBar = std::uint64_t{1} << 40;

}  // namespace

double lost_seconds(const Outcome& outcome) {
  constexpr double kMost = 1.0;  // what finding out may cost by design is far below
  constexpr double kMostTimes = 16.0;
  if (!outcome.split || !(outcome.alone_seconds > 0) || !(outcome.seconds > outcome.alone_seconds)) return 0.0;
  return std::min(outcome.seconds - outcome.alone_seconds, kMost + kMostTimes * outcome.alone_seconds);
}

void LaunchLedger::add(const Outcome& outcome) {
  ++launches_;
  seconds_ += outcome.split ? std::min(outcome.seconds, outcome.alone_seconds) : outcome.alone_seconds;
  if (!outcome.split || !(outcome.alone_seconds > 0)) return;
  const double lost = lost_seconds(outcome);
  lost_seconds_ += lost;
  // Slices to learn from and compilations were not predicted to win.
  if (outcome.exploring || outcome.first_uses != 0) return;
  if (lost == 0) {
    lost_ = 0;
    on_trial_ = false;
    return;
  }
  ++lost_;
  if (lost_ < kMostLost && !on_trial_) return;
  next_bar_ = std::clamp(2 * next_bar_, kFirstBar, kLongestBar);
  barred_until_ = launches_ + next_bar_;
  lost_ = 0;
  on_trial_ = true;
}

Experience LaunchLedger::experience() const { return {seconds_, lost_seconds_, launches_ < barred_until_}; }

}  // namespace skmd::domain
