// SPDX-License-Identifier: Apache-2.0
// When a launch that runs is stopped because its groups were divided badly (rebalance.h).
#pragma once

#include <cstdint>

namespace skmd::domain::tuning {

/// How often a launch is divided anew. Source: chosen: the first time it is done by rates of a part of the launch, the
/// second corrects these; kernels whose groups do very different work would be stopped without end.
inline constexpr unsigned kMaxRebalances = 3;
/// What is gained has to be so many times what it costs. Source: chosen: rates of a slice's first groups and costs of
/// moves are both estimates.
inline constexpr double kRebalanceTimes = 2.0;
/// And at least this part of the launch. Source: chosen: below the fifth by which a rebalanced launch may miss the best
/// plan (docs/decisions/slow-slices-are-divided-anew.md), above the noise of rates (kRateNoise of
/// intercept/launch/decision_constants.h).
inline constexpr double kRebalancePart = 0.08;
/// A slice is slow that is expected to take so many times as long as was planned. One that takes as long was weighed
/// when the plan was made, with all that speaks against another one. Source: above the error of 20 per cent that a rate
/// is taken to have (DeviceModel::relative_error).
inline constexpr double kSlowSlice = 1.25;
/// Groups whose time tells a slice's rate. With fewer, those that are under way uncounted are a large part. Source:
/// chosen: a fourth more or less.
inline constexpr std::uint64_t kTellingGroups = 4;
/// A slice of which nothing is known but that it has taken longer than predicted is expected to take so many times as
/// long as it has so far. Source: chosen: of times of which no length is likelier than another, half are over by then.
inline constexpr double kLastsTimes = 2.0;

}  // namespace skmd::domain::tuning
