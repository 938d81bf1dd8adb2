// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/shared_rounds.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "partitioner/model/round_constants.h"

namespace skmd::domain {

using namespace tuning;

SharedRounds::Role SharedRounds::launched(std::uint64_t shape, bool begins, std::span<const AloneBounds> alone_bounds) {
  const bool is_new = leader_ == 0 || strange_ > kMaxRoundLaunches || (shape == leader_ && !begins);
  if (is_new) {
    leader_ = begins ? shape : 0;
    round_.count = last_.count = strange_ = 0;
    round_.shapes = last_.shapes = 0;
    round_.mixed = last_.mixed = false;
    alike_ = false;
    bound_.reset();
    told_ = 0;
    if (!begins) return Role::none;
  } else if (shape == leader_) {
    alike_ = round_.shapes == last_.shapes;
    std::swap(round_, last_);
    round_.count = strange_ = 0;
    round_.shapes = 0;
    round_.mixed = false;
    bound_.reset();
  }
  ++strange_;
  round_.mixed = round_.mixed || (begins && shape != leader_);
  round_.shapes = (round_.shapes ^ shape) * 0x9E3779B97F4A7C15u + 1;
  if (round_.count < kMaxRoundLaunches) {
    if (round_.launches.size() <= round_.count) round_.launches.emplace_back();
    round_.launches[round_.count++].assign(alone_bounds.begin(), alone_bounds.end());
  }
  if (shape == leader_) return Role::leader;
  return round_.mixed ? Role::none : Role::follower;
}

void SharedRounds::led(Devices plan, bool told) {
  bound_.reset();
  if (!std::has_single_bit(plan)) return;
  if (told) told_ |= plan;
  if ((told_ & plan) != 0) bound_ = plan;
}

std::vector<RoundTimes::Candidate> SharedRounds::candidates() const {
  std::vector<RoundTimes::Candidate> sums;
  if (!alike_ || last_.mixed || last_.count == 0) return sums;
  for (const AloneBounds& first : last_.launches.front())
    sums.push_back({Devices{1} << first.device, first.seconds, true, first.at_most});
  for (std::size_t i = 1; i < last_.count; ++i)
    std::erase_if(sums, [&](RoundTimes::Candidate& sum) {
      const auto& launch = last_.launches[i];
      const auto same = std::find_if(launch.begin(), launch.end(),
                                     [&](const AloneBounds& one) { return Devices{1} << one.device == sum.plan; });
      if (same == launch.end()) return true;
      sum.seconds += same->running_seconds;
      sum.at_most += same->at_most_running;
      return false;
    });
  return sums;
}

}  // namespace skmd::domain
