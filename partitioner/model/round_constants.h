// SPDX-License-Identifier: Apache-2.0
// How plans are judged by what the application's launches and rounds took: round_times.h, shared_rounds.h,
// launch_ledger.h. "The page" is docs/decisions/rounds-judge-plans.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::domain::tuning {

// --- rounds ---

/// Rounds of a plan that are kept, of which the median counts. Source: the page.
inline constexpr std::size_t kKeptRounds = 5;
/// Rounds that tell; two, where they are far longer. Source: no simulation fails with kEnoughRounds from 2 to 12, nor
/// with kFewestRounds from 1 to 4; one does with 1 and with 8.
inline constexpr std::size_t kEnoughRounds = 3;
inline constexpr std::size_t kFewestRounds = 2;
/// Ends of launches at first, one more than rounds, that say nothing against a plan, and of the first split with some
/// device, little. Source: of scan_large_arrays on two devices of two cores the first two rounds take 1.2 and 1.1 ms,
/// the others 0.4 to 0.6; by the median of three a device was tried, and kept, that is slower. On two H200 the first
/// two rounds of matrix_transpose on both take 18 to 21 ms and the others 13, where one takes 15.
inline constexpr std::size_t kEarlyEnds = 3;
/// Clearly longer: medians of five rounds of a quiet machine differ by less. Source: the page.
inline constexpr double kLongerRounds = 1.04;
/// Part of a round that a launch takes at least for single devices to be compared by rounds. Source: half of
/// kLongerRounds's difference: a launch that takes less cannot make rounds clearly longer.
inline constexpr double kSmallPartOfRound = 0.02;
/// What rounds on another single device must save, by a lower bound, to be tried. Source: the page.
inline constexpr double kMuchLongerRounds = 1.15;
/// Two rounds are enough where they are longer by this factor. Source: chosen.
inline constexpr double kFarLongerRounds = 1.3;
/// Seconds by which times of ends may be off. Source: what a thread takes to notice an end, kGlance of
/// intercept/backend/vendor/vendor_constants.h, for the mean.
inline constexpr double kTimerSeconds = 20e-6;
/// Launches for which a plan is given up, and the factor from each time to the next. Source: the page.
inline constexpr std::uint64_t kFirstRoundBar = 64;
inline constexpr std::uint64_t kRoundBarGrowth = 4;
/// Launches of a trial: the way there, and as many rounds as tell. Source: the page.
inline constexpr std::uint32_t kTrialLaunches = 4;
/// Launches by which a trial goes on, one each time its last round was clearly its shortest. Source: scan_large_arrays
/// on 16 cores beside an H200: rounds of a trial take 3.6, 3.2 and 2.8 ms; those of a process on the processor alone
/// begin with 2.7 and 2.4, and are at 1.9 from the seventh on; the GPU takes 3.3.
inline constexpr std::uint32_t kLongerTrial = 6;
/// A trial ends with a round that is longer by this factor; the first one may be, by threads and pages that are not
/// warm. Source: the page.
inline constexpr double kHopelessTrial = 1.5;
/// A trial is not begun where a round may take so many times as long. Source: the page.
inline constexpr double kDearTrial = 4.0;
/// Plans of one shape that are told apart, on a machine whose devices come and go. Source: as many as there may be
/// devices.
inline constexpr std::size_t kMaxRoundPlans = 64;
/// Launches of a round that several launches share. Longer rows are loops, in which single writes say little. Source:
/// chosen.
inline constexpr std::size_t kMaxRoundLaunches = 64;

// --- rounds of former processes (former_rounds.h) ---

/// Rounds of a process after which it keeps what they take for the first time. Source: as many as a trial has, which is
/// one less than its launches.
inline constexpr std::uint64_t kFirstRoundsKept = 3;
/// Samples of which the median counts. Source: as of one process's rounds, kKeptRounds.
inline constexpr std::size_t kNewestRounds = 5;
/// Former processes' rounds under one plan must be longer by this factor than under another for that to be followed
/// from the first launch on. Source: between kLongerRounds and kMuchLongerRounds, since medians of two processes differ
/// by more than those of one.
inline constexpr double kLongerBefore = 1.1;
/// Where this process's rounds under a plan are longer or shorter by this factor than former ones were, those say
/// nothing of it: its data or the machine's load are others. Source: as kFarLongerRounds.
inline constexpr double kOtherRounds = 1.3;

// --- launches (the ledger) ---

/// Splits in a row that were predicted to win and lost, until splits are barred. Source:
/// docs/decisions/exploring-is-paid-for.md.
inline constexpr std::uint32_t kMaxLostSplits = 2;
/// What former splits saved counts against it, this much less with each split. Source: chosen: a split that halves the
/// launch's time may lose as much for two launches, while another program runs, and not for four.
inline constexpr double kSavedKept = 0.75;
/// Launches for which they are barred at first; twice as many each time. Source:
/// docs/decisions/exploring-is-paid-for.md.
inline constexpr std::uint64_t kFirstSplitBar = 64;
/// New plans in a row whose first launch is not judged, since bytes have to move for it. Source:
/// docs/decisions/exploring-is-paid-for.md.
inline constexpr std::uint32_t kMaxArrivals = 3;
/// A device's first use happens once and says little about the device: up to so many rounds of lost time, only this
/// part of a round is counted. If all of it were, the next exploring slice would have to wait for many launches.
/// Source: docs/decisions/exploring-is-paid-for.md.
inline constexpr double kFirstUseRounds = 3.0;
inline constexpr double kFirstUsePart = 0.25;
/// What one launch may count as lost: seconds, and times of the best single device. Source: far above the designed cost
/// of exploration, for pauses of the machine; chosen.
inline constexpr double kMaxLostSeconds = 1.0;
inline constexpr double kMaxLostTimes = 16.0;
/// Launches, of either bar: beyond what a process makes. Source: never reached.
inline constexpr std::uint64_t kLongestBar = std::uint64_t{1} << 40;

}  // namespace skmd::domain::tuning
