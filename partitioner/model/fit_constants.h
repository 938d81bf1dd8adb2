// SPDX-License-Identifier: Apache-2.0
// How models of time are fitted to samples, and how certain they are: terms.h, few_terms.h, least_squares.h,
// time_model.h, stored_model.h, group_work.h, work_estimate.h.
//
// "The page" is docs/decisions/few-terms-predict-times.md. "The curves": chosen by hand among about seven sets, by the
// medians on the real-size spans of tests/partitioner/model/h100_curves.json and of the profiles that come with SKMD;
// stairs were added on seeing n-body's there. Errors on those files are no measure of what other kernels will see.
#pragma once

#include <array>
#include <cstddef>

namespace skmd::domain::tuning {

// --- of every measured time ---

/// The least relative error: timers and neighbours. Source: chosen.
inline constexpr double kNoise = 0.03;
/// Part of the samples, or launches, that a band is to hold. Source: the page, and
/// docs/decisions/corrections-take-no-spikes.md.
inline constexpr double kCovered = 0.8;

// --- candidate terms ---

/// Groups that a unit runs at once. Ascending: of those that explain the samples equally well the first is taken, so
/// that a device which was never filled is not believed to run any number of groups in the time of one. Source: the
/// page.
inline constexpr std::array kAtOnce{1.0, 2.0, 4.0, 8.0};
/// Where a curve bends, as a multiple of the compute units: from one group on each to the 16 to 32 that fill a unit;
/// how sharply (1 bends over a power of ten, 6 within a factor of two); and how many times further groups must have
/// been measured. Source: the curves.
inline constexpr std::array kBends{1.0, 4.0, 16.0, 64.0};
inline constexpr std::array kSharpness{1.0, 6.0};
inline constexpr double kBeyondBend = 2.0;
/// Powers of a launch's size. Source: two profile sizes cannot tell more apart (the page, "Rejected").
inline constexpr std::array kSizePowers{0.0, 0.5, 1.0};
/// Of the paper's model: powers of parameters, which SKMD (TOCS 2015), section 3.3, calls "various" and does not name,
/// and arctangents a·b. With linear terms, 17 columns for each parameter. Source: chosen, to span what profiles hold.
inline constexpr std::array kPaperPowers{0.5, 1.0, 2.0, 3.0};
struct PaperBend {
  double a, b;
};
inline constexpr std::array<PaperBend, 4> kPaperBends{PaperBend{0.5, 8}, PaperBend{0.05, 64}, PaperBend{0.005, 512},
                                                      PaperBend{0.0005, 4096}};
/// A jump of times by this much more than of the work means that further units begin to help; points on each side that
/// are looked at, of which the middle one counts. Source: the curves.
inline constexpr double kJump = 1.5;
inline constexpr std::size_t kJumpSide = 3;
/// Pieces of a curve that is steep at first: from the jump, or where none is seen from this multiple of the least work,
/// each so many times further, as long as so many times the work lies beyond. Pieces closer to each other followed
/// noise. Source: the curves; their number is bounded since one sample from elsewhere may stretch the range.
inline constexpr double kFirstPiece = 4.0;
inline constexpr double kNextPiece = 8.0;
inline constexpr double kBeyondPieces = 4.0;
inline constexpr int kMaxPieces = 6;

// --- which points count, and how much ---

/// Points that are fitted to: those of middle speed of each kind. Source: the page; a fit takes up to 5 ms.
inline constexpr std::size_t kMaxFitPoints = 64;
/// Distinct lengths of spans per power of two: nearly all, and if there are too many points. Source: chosen.
inline constexpr double kExactly = 64.0;
inline constexpr double kFinest = 4.0;
/// Weight of a launch half as large as the largest; power of a point's time that it weighs by. Source: the curves: with
/// 0.6 instead of 0.75 the second recording was missed by 3.4 instead of 3.6 % (H100) and 16.8 instead of 17.6
/// (processor).
inline constexpr double kNearerWeight = 0.6;
inline constexpr double kLongerPower = 0.3;
/// Points farther off than so many times the typical distance weigh as if they were so far (Huber), in so many further
/// fits. Source: the page. Distances below the least are not reduced, and no ratio counts as less than kLeastRatio:
/// beyond them, weights follow noise. Source: the curves.
inline constexpr double kOutlier = 2.0;
inline constexpr int kReweighings = 2;
inline constexpr double kLeastDistance = 0.02;
inline constexpr double kLeastRatio = 1e-3;

// --- which terms stay ---

/// With fewer points none are held out, and the model has this relative error. Source: chosen: two unknowns and a few
/// to test them; tests of FewTerms fail with an error of 0.15, and of Evaluation with 1.2.
inline constexpr std::size_t kLeastToTest = 6;
inline constexpr double kErrorWithoutTest = 0.3;
/// One point of so many is held out, the longest ones: with spans that double, an extrapolation by 4 to 8. At least so
/// many: a single outlier among them does not decide. Source: the page.
inline constexpr std::size_t kHeldOut = 8;
inline constexpr std::size_t kLeastHeldOut = 3;
/// Part of the held-out error that may be lost for one term less. Source: the curves.
inline constexpr double kTermLoss = 0.02;
/// Points so much shorter than the longest are not what a band is asked for. Source: the curves.
inline constexpr double kMuchShorter = 1.0 / 16;
/// Rounds of the search for coefficients, for each column: it ends by itself, but for rounding. Source: as in Lawson
/// and Hanson's own program (Solving Least Squares Problems, 1974).
inline constexpr int kRoundsPerColumn = 3;

// --- how wide bands are at least, and how they grow ---

/// Relative errors at least: where data decides how long groups work, since other data may differ; where the model
/// depends on work that is not known; where memory is predicted to be the limit, but was not measured. Source: the
/// page.
inline constexpr double kErrorOfData = 0.5;
inline constexpr double kErrorOfUnknownWork = 1.0;
inline constexpr double kErrorOfBound = 0.25;
/// By which a band grows for each power of two beyond what was measured, and how wide it becomes at most. Source: the
/// curves: bands of small sizes that are to hold 80 % of the real ones hold 68, 85 and 86 % over the three shipped
/// profiles with 0.4, 72, 85 and 87 with 0.6, 74, 85 and 88 with this (docs/results/prediction.md).
inline constexpr double kBandPerPowerOfTwo = 0.7;
inline constexpr double kMaxBandGrowth = 8.0;
/// Seconds below which no clock tells times apart. Source: a nanosecond, the unit of all samples.
inline constexpr double kLeastSeconds = 1e-9;

// --- stored models ---

/// Added to the relative error of a model that was not fitted to this device's own samples: imported, shipped, of
/// another driver's version, of another number of compute units. Guesses, by what they have to cover: two machines of
/// one make differ by some per cent (clocks, cooling), a driver's compiler by up to a quarter for single kernels; times
/// do not fall in proportion where more units share one memory. Together they stay so small that two equal devices
/// still share a launch (kMaxSplitError in plan_constants.h). Source:
/// docs/decisions/known-kernels-are-read-while-they-are-built.md.
inline constexpr double kElsewhere = 0.05;
inline constexpr double kShipped = 0.1;
inline constexpr double kOtherDriver = 0.15;
inline constexpr double kOtherUnits = 0.25;
/// Samples: with fewer, those that were measured farther away are preferred. Source: the page of stored models above.
inline constexpr std::size_t kEnoughNear = 8;
/// Samples on which a model must rest to decide in `auto`, one of them of a notable part of the launch: one alone may
/// be a spike. Source: chosen: as many as a process leaves that launched a kernel three times, the first use left out.
inline constexpr std::size_t kSureSamples = 2;
/// Plans see a stored model as a line through the whole launch and one part in so many of it. Source: the page of
/// stored models above.
inline constexpr double kLinePart = 4.0;
/// Part of a launch's time that is believed to grow with the groups, at least. Source: chosen, so that no rate is
/// infinite.
inline constexpr double kLeastGrowing = 0.01;

// --- work that groups do ---

/// Trip counts above this are not plausible, since the launch would not end. Source: a cycle each would take days.
inline constexpr double kMaxPasses = 1e15;
/// A count that may be anything in so wide a range is one that is not known, or that wrapped; and where it is no exact
/// count, it is that of the counter's type. Source: below the ranges of 32-bit types, above the trip counts of loops.
inline constexpr double kWidestGuess = 1e9;
/// Places in the launch, as parts of it, at which a group's work is counted. Groups at the launch's ends, where
/// conditions cut off what lies beyond the data, are too few to count. Source: chosen: the middles of three thirds.
inline constexpr std::array kCountedAt{1.0 / 6, 3.0 / 6, 5.0 / 6};
/// Relative difference of counts that are the same; difference of logarithms of factors that explain known sizes as
/// well; and bands narrower than this part are not spoken of. Source:
/// docs/decisions/unmeasured-work-follows-one-power.md; tests/partitioner/model/work_estimate_test.cpp.
inline constexpr double kEqualCounts = 1e-6;
inline constexpr double kAboutAsWell = 0.05;
inline constexpr double kTold = 0.01;

}  // namespace skmd::domain::tuning
