// SPDX-License-Identifier: Apache-2.0
// What finding out a device's rate may cost, and how it is gone about. What each number is good for is said in
// docs/decisions/exploring-is-paid-for.md ("the page").
#pragma once

#include <cstdint>

namespace skmd::domain::tuning {

/// Part of the launch's time. Smaller gains are neither explored nor tried against a model's error. Source: the page.
inline constexpr double kLeastGain = 0.05;
/// Part of the time that launches would have gained so far: what may be staked. Source: the page.
inline constexpr double kAtStake = 0.5;
/// Part of the launches' time so far: what slices that may end after the launch may cost. Source: the page.
inline constexpr double kMaxLate = 0.05;

/// A first slice is so short that a device so many times slower than the best one ends it in time. Source: the page.
inline constexpr double kFirstSliceSlower = 1024.0;
/// It has at most one part in so many of the launch's groups. Source: the page ("Why": a sixteenth took seconds).
inline constexpr std::uint64_t kFirstSlicePart = 16;
/// Seconds of a slice that may be wake-ups of threads and first accesses of pages, and at most this part of it. Source:
/// the page.
inline constexpr double kSliceStart = 1e-3;
inline constexpr double kSliceStartPart = 0.875;
/// From one exploring slice to the next, at most. Source: the page.
inline constexpr double kSliceGrowth = 16.0;
/// The same for a slice that pays only if the start dominated the shorter ones; seconds of a slice that may have been
/// mostly its start; and the part of the launch's time that has to be gained without it. Source: the page.
inline constexpr double kCautiousGrowth = 4.0;
inline constexpr double kShortSlice = 2 * kSliceStart;
inline constexpr double kCautiousGain = 0.15;
/// Shares longer than so many times the longest measured span are explored; shorter ones are left to plans.
/// Source: no simulation fails from 1.2 to 6; with 0.75 ApplicationsWhoseDevicesChange and AutoSimulation do.
inline constexpr double kExploredBeyond = 1.5;

/// By so many times a measured device may be faster than its rate, and one that was never measured faster than expected
/// (kernels that wait for memory are, on processors) or slower. Source: the page.
inline constexpr double kOptimism = 4.0;
inline constexpr double kHope = 32.0;
inline constexpr double kPessimism = 8.0;
/// Relative error above which a model of former processes is explored. Source: the page.
inline constexpr double kDoubted = 0.2;

/// Of more devices than the first number, so many are looked at for a launch: each means balancing anew, 0.1 ms for 64
/// hosts. Source: chosen: a plan is to take 5 ms at most.
inline constexpr std::size_t kManyExplored = 64;
inline constexpr std::size_t kLookedAt = 8;

}  // namespace skmd::domain::tuning
