// SPDX-License-Identifier: Apache-2.0
// What plans are chosen by, beside times that are known. "Exact plans" are those of
// tests/partitioner/exact_plan_test.cpp, which compares plans with the optimum on random machines of up to 64 devices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::domain::tuning {

// --- whether a split pays, and a plan is changed ---

/// A split must win by this part of the time, even with exact models. Two per cent kept 64 equal devices to 50; real
/// models have errors of three per cent and more. Source: exact plans; no simulation fails from 0.0025 to 0.04.
inline constexpr double kLeastWin = 0.01;
/// The largest error that a device's model is taken to have: two equal devices gain a half, which a bad model must not
/// prevent for ever. Source: chosen below a half; no simulation fails from 0.1 to 1.6.
inline constexpr double kMaxSplitError = 0.4;
/// Gains below this part do not move data from one device to another. Source: no simulation fails from 0.0125 to 0.1;
/// with 0.2 ApplicationsWhoseDevicesChange does.
inline constexpr double kKeepPrevious = 0.05;
/// Nor do gains below this part change the shares of devices that stay the same: what the application writes for each
/// launch has been sent by the former shares already. Source: two H200, whose links differ only as long as one of them
/// makes its page-locked memory: by half each vector_add takes 13 ms a round, box_muller 37 and matrix_transpose 13,
/// and a launch behind a change of shares, for gains of some 6 per cent, 17, 70 and 18. No simulation fails from 0.05
/// to 0.1.
inline constexpr double kKeepShares = 0.1;
/// A better plan whose bytes have to move has to have gained four times as much as the way costs after each such way
/// (docs/decisions/exploring-is-paid-for.md), so many times at most. Source: chosen: a million times as much is for
/// ever.
inline constexpr unsigned kMaxWays = 10;
/// Launches shorter than so many costs of a launch are not worth planning. Source: no simulation fails from 2 to 12;
/// one does with 1.
inline constexpr double kSmallLaunchLatencies = 3.0;
/// Lower bound of Plan::alone_seconds, as a part of the launch on the best single device: where transfers take all of
/// the round. Source: no simulation fails from 0.0025 to 0.04.
inline constexpr double kLeastAlonePart = 0.01;

// --- what is expected of devices ---

/// A rate is believed for spans up to this many times as long as those that it comes from.
/// Source: docs/decisions/exploring-is-paid-for.md.
inline constexpr std::uint64_t kBelievedTimes = 16;
/// Strengths are guesses: only one that is at least this many times as large means a faster device.
/// Source: docs/decisions/exploring-is-paid-for.md.
inline constexpr double kStrongerTimes = 4.0;
/// A device whose first use, which may hold a compilation, had less than this part of the best rate is slow.
/// Source: no simulation fails from 0.125 to 2.
inline constexpr double kSlowFirstUse = 0.5;
/// Slices of less than a millisecond make a processor of 32 cores look up to nine times as slow as it is; kernels that
/// wait for memory run there at a tenth of an H100's speed. Source: docs/decisions/rounds-judge-plans.md.
inline constexpr double kLooksSlower = 4.0;
inline constexpr double kWeaker = 8.0;
/// A device that ran at least one part in so many of a launch has shown its rate for it. Source: chosen: 7 per cent
/// were misleading, the third or half that devices with like rates get is not.
inline constexpr std::uint64_t kTellingPart = 4;

// --- the search for shares ---

/// Rounds of fitting costs and balancing again; two or three converge. Source: no simulation fails from 5 to 24; one
/// does with 3.
inline constexpr int kSearchRounds = 6;
/// The same for more devices than the second number, each round of which takes about 0.4 ms. Source: on 200 random
/// machines of 64 hosts of 8 devices (tests/partitioner/far_machine.h) two rounds gave plans that took 0.13 per cent
/// longer than those of six at most.
inline constexpr int kRoundsOfMany = 2;
inline constexpr std::size_t kManyLines = 64;
/// Relative difference to the expected end below which the search stops. Source: chosen, by exact plans.
inline constexpr double kSearchSettled = 0.005;
/// Up to so many devices, shares are polished by pairs, as long as that gains the relative time beside.
/// Source: docs/decisions/plans-add-up-phases.md; decide/64 of bench/micro/partition_bench.
inline constexpr std::size_t kFewDevices = 8;
inline constexpr double kPolished = 0.002;
/// A device of so many groups at most is emptied for a try where a link is shared. Source: chosen: a slice of more is
/// divided finely enough by shares.
inline constexpr std::uint64_t kFewGroups = 64;
/// Part of a slice that moving its border to a row of groups may cost. Source: chosen.
inline constexpr double kSnapLoss = 0.02;
/// Devices that together shorten the launch by less than this part are left out. Source: chosen, by
/// exact plans.
inline constexpr double kWorthTheIdle = 0.005;
/// Slices whose sizes differ by less than this part say nothing about a slope. Source: chosen.
inline constexpr double kDistinctSizes = 0.01;
/// Steps of the golden-section search for the length of the run, each to 0.62 of what it was: to a 15,000th. With many
/// devices, where each is expensive, to a 2,000th. Source: exact plans; decide/64 of bench/micro/partition_bench;
/// chosen.
inline constexpr int kNarrowings = 20;
inline constexpr int kFewNarrowings = 16;
inline constexpr std::size_t kManyDevices = 16;

/// Halvings of the range of runs in which shared links are balanced: to a millionth of the launch on one device alone.
/// Source: chosen.
inline constexpr int kRunHalvings = 20;
/// How often devices of shared links are left out and the rest balanced again, since the run is shorter then: at first,
/// and for each of the shorter transfers below. Source: tests/partitioner/far_plan_test.cpp: of 1800 machines of 64
/// hosts of 8 devices, 16 were more than 2 per cent off the optimum with 2 at first, and none with 3; chosen.
inline constexpr int kLeavings = 3;
inline constexpr int kLeavingsAgain = 2;
/// Halvings of the transfers around a launch for which devices of shared links are left out: a host of 8 equal devices
/// then keeps one. Source: the same.
inline constexpr int kShorterTransfers = 3;
/// And what they may be longer than the half by, as a part of it: a round trip is not halved. Source: the same.
inline constexpr double kSlackTransfers = 0.1;

// --- what planning may take ---

/// Part of the launches' time, and of that of a first launch whose times former processes know, as of five launches.
/// Source: docs/decisions/exploring-is-paid-for.md.
inline constexpr double kPlanningPart = 0.02;
inline constexpr double kFirstPlanningPart = 0.1;
/// Seconds that are not counted. Source: chosen: half of what looking at one device is estimated to cost
/// (intercept/launch/decision_constants.h).
inline constexpr double kFreePlanning = 1e-7;

// --- other modes ---

/// The part of a slice's remaining groups that its next chunk takes: one in so many. 1 would be guided self-scheduling
/// over equal shares; 4 leaves three quarters for balancing if the first groups take longest.
/// Source: docs/decisions/chunks-have-fixed-borders.md.
inline constexpr std::uint64_t kChunkPart = 4;
/// Of `paper`: steps of induction, from which the granularity follows. Source: SKMD (TOCS 2015), section 3.4;
/// docs/decisions/algorithm-1-follows-its-text.md.
inline constexpr std::uint64_t kTreeSteps = 2048;
/// Of `paper`: doublings of the granularity before the search ends. Source: chosen;
/// tests/partitioner/decision_tree_test.cpp compares the plans with all possible ones.
inline constexpr unsigned kTreeTolerance = 10;

}  // namespace skmd::domain::tuning
