// SPDX-License-Identifier: Apache-2.0
// How rates follow what this process measures (rate_model.h), when they are believed instead of stored models
// (known_times.h), and how those are corrected (correction.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::domain::tuning {

// --- rates ---

/// Weight of the newest sample, of a span, of a whole launch (which become rare once splits pay) and of what a first
/// use took. Source: chosen: four samples count for two thirds of a rate.
inline constexpr double kNewestRate = 0.25;
inline constexpr double kNewestWhole = 0.5;
inline constexpr double kNewestFirstUse = 0.5;
/// Added to the relative error: of a single sample, falling with their number; for each power of two between what was
/// measured and what is asked; and where the rate is that of a device of the same make. Source: chosen; for
/// the last, no simulation fails from 0.025 to 0.4.
inline constexpr double kFewSamplesError = 0.15;
inline constexpr double kErrorPerClass = 0.15;
inline constexpr double kErrorOfTwins = 0.1;
/// The largest relative error: a split has to win by kMaxSplitError at most. Source: above that, no plan changes.
inline constexpr double kMaxRateError = 1.0;
/// Part of a span's time that may have been waiting for a device's threads: some work before all have begun.
/// Source: no simulation fails from 0.22 to 1, all of the time.
inline constexpr double kMaxWaited = 0.875;
/// Off by this part of the rate and by so many times its spread: more than noise. Two such samples in a row are another
/// device. Source: docs/decisions/exploring-is-paid-for.md.
inline constexpr double kFarOff = 0.2;
inline constexpr double kFarOffSpread = 3.0;
/// For spans that differ by less than this factor, a changed rate means a changed device. Source: no simulation fails
/// from 1.25 to 5; with 0.63 ApplicationsWhoseDevicesChange does.
inline constexpr double kAlikeSpans = 1.25;
/// Spans so many times shorter than the longest are ignored if slower, and with each of them this part is left of the
/// longest span. Source: no simulation fails with kShorterSpans from 1 to 8, nor with kForgotten from 0.35 to 0.88;
/// with 1.4 ApplicationsWhoseDevicesChange does.
inline constexpr double kShorterSpans = 2.0;
inline constexpr double kForgotten = 0.7;
/// Entries by kernel, device and size, then all are forgotten, or none is added: some megabytes of a program that makes
/// kernels for ever. Source: chosen: several times the 10,000 kernels of a large database (docs/results/overheads.md).
inline constexpr std::size_t kMaxEntries = std::size_t{1} << 16;

// --- rates or stored models ---

/// With this many samples of its own a rate is believed rather than a stored model: an outlier among them weighs less
/// than half. Source: docs/decisions/known-kernels-are-read-while-they-are-built.md.
inline constexpr std::uint32_t kEnoughSamples = 4;

/// Among so many first launches of a kernel on a device, those that are slower than its stored model says, by less than
/// so many seconds, are not believed: they find caches and pages that were not touched. Source: scan_large_arrays on
/// two devices of two cores took 0.3 ms for 0.02, and was moved to the slower device for that.
inline constexpr std::uint32_t kColdLaunches = 4;
inline constexpr double kColdSeconds = 1e-3;

// --- corrections of stored models ---
// Source of all: docs/decisions/corrections-take-no-spikes.md, chosen by reasoning, and tested on recorded spans.

/// Least weight of a launch inside its band, so that a drift is followed within ten launches; and launches that the
/// stored model counts for. Source: the page above.
inline constexpr double kNewestCorrection = 0.2;
inline constexpr double kStoredLaunches = 1.0;
/// Predictions further apart than by this factor do not share a correction. Source: scan_large_arrays launches one
/// kernel over 2048, 8 and 1 groups; the short ones take 30 times what their groups do, and on two devices of two cores
/// the long one was then predicted to take five times as long as it does.
inline constexpr double kMuchLongerLaunch = 64.0;
/// Far shorter launches in a row after which there seem to be no others. Source: chosen: as kLaunchesToDouble.
inline constexpr std::size_t kFarShorterLaunches = 64;
/// Launches in a row outside the band until a model counts as wrong that no launch of this process has confirmed.
/// Source: chosen: one alone may be a spike. median_filter on two devices of two cores stayed five launches where its
/// time was predicted as a third of what it is.
inline constexpr std::size_t kFirstToChange = 2;
/// Launches in a row outside the band until the level counts as changed. Source: the page above.
inline constexpr std::size_t kLaunchesToChange = 5;
/// The logarithm by which a launch outside widens the band; and limits of its width, as multiples of the stored band.
/// Source: the page above; the limits were chosen so wide that they do not matter.
inline constexpr double kWidens = 0.2;
inline constexpr double kNarrowest = 1.0 / 16;
inline constexpr double kWidest = 1e3;
/// Limit of the factor. Source: chosen so large that it does not matter: a device is then of no use.
inline constexpr double kMaxCorrection = 1e6;
/// The error doubles after this time, seconds, or this number of launches, without a measurement of the device.
/// Source: the page above.
inline constexpr double kSecondsToDouble = 60.0;
inline constexpr double kLaunchesToDouble = 64.0;

}  // namespace skmd::domain::tuning
