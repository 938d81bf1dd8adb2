// SPDX-License-Identifier: Apache-2.0
// When a launch is decided anew, what deciding may cost, and which launches are timed for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::icd::tuning {

// --- whether the last decision stands ---

/// Part of a rate: rates are measured again at every launch, and smaller changes than this are noise. Source: above the
/// least error that a rate is taken to have (kNoise of partitioner/model/fit_constants.h).
inline constexpr double kRateNoise = 0.05;
/// Likewise, part of a round trip or rate of the link to another machine. Source: chosen: the rate of the first few
/// transfers of a link varies by a fifth, and what is assumed before them is off by a factor.
inline constexpr double kLinkNoise = 0.25;
/// Seconds that asking the partitioner takes, even if it looks at no footprint. Source: bench/micro/partition_bench (a
/// plan for three devices takes 0.33 us, docs/results/overheads.md) and the request for it.
inline constexpr double kAsking = 3e-6;
/// Seconds that looking at rates and residency takes, for each device and each range; that evaluating footprints takes,
/// for each slice and each range; and evaluations of a plan: three rounds of balancing, and what joining costs. Source:
/// bench/micro/partition_bench, doubled: a stencil of 65,794 ranges takes 2.5 ms to evaluate, 0.14 ms to decide how it
/// is merged.
inline constexpr double kDeviceLook = 2e-7;
inline constexpr double kRangeLook = 10e-9;
inline constexpr double kSliceEvaluation = 5e-6;
inline constexpr double kRangeEvaluation = 80e-9;
inline constexpr double kEvaluations = 4;
/// Evaluations of a plan that cutting a launch into chunks counts as. Source: chosen: a chunk has a footprint, and
/// there are a few times as many as a search asks for.
inline constexpr double kCuttingEvaluations = 4.0;

// --- what is remembered of a kernel's launches ---

/// Shapes of a kernel, and spans of a shape. Source: docs/decisions/launch-shapes-are-remembered.md.
inline constexpr std::size_t kShapesPerKernel = 16;
inline constexpr std::size_t kSpansPerShape = 64;
/// Rectangles that an image is sent and asked for in; what is written in more is rounded to rows. Source: chosen by
/// what a call for each costs (docs/decisions/images-are-split-by-rectangles.md).
inline constexpr std::size_t kMaxImageRuns = 64;

// --- what a split, or a trial on another device, is charged ---

/// Seconds a byte of a buffer's host copy that is filled for the first time takes longer than later: pages are made.
/// Source: docs/decisions/rounds-judge-plans.md.
inline constexpr double kTouchSeconds = 0.1e-9;

/// Seconds that a split launch takes over a whole one before any work is done: a thread's hand-over, one submission
/// more, and waiting for two devices. Source: of the order of PoCL's empty kernel, 28 us through SKMD
/// (docs/results/overheads.md); rounded up, since a split must win by more than this.
inline constexpr double kSplitSeconds = 40e-6;

/// Seconds that a launch begins later where those that it follows run on another device: they have to be waited for, by
/// a thread that mostly sleeps. Source: a sleeper is awake after 27 us (docs/decisions/blocking-executor-threads.md).
inline constexpr double kHandOver = 27e-6;

// --- what a launch waits for before it is decided ---

/// Part of what would be gained by devices on which the program is being built, which their builds may take: where they
/// take longer, that is what was lost. Source: docs/decisions/known-kernels-are-read-while-they-are-built.md.
inline constexpr double kBuildPatience = 0.5;
/// Seconds: what a second GPU's context and a small program on it take to be made. A launch that gains more begins the
/// builds itself, and waits for their end. Source: 256 ms for a cold build on an H200 (docs/devices/nvidia.md).
inline constexpr double kBuildSeconds = 0.3;
/// Seconds that each launch gains by devices that are slow to start, from which on their builds begin at once: a tenth
/// of what the start costs a process, 0.1 to 0.2 s. Where former processes have measured the
/// kernel on several devices, they went on launching for so long that these took part, and this one probably will.
/// Source: two H200: vector_add is split from the eighth of fourteen repetitions on where it was from the twelfth,
/// binomial_option from the seventh to the tenth and from the eighth to the thirteenth. The second value: chosen, what
/// a launch costs more by being split, twice.
inline constexpr double kSlowStartGain = 15e-3;
inline constexpr double kKnownGain = 2 * kSplitSeconds;
/// Launches of a shape that ask for it, from the second on. Source: chosen: rounds are known after two.
inline constexpr std::uint32_t kAskForDevices = 6;
/// Seconds of launches that are worth waiting for before the next one is decided: what waiting costs, a device that
/// runs dry and a thread that wakes up, is little beside them. Source: docs/decisions/exploring-is-paid-for.md.
inline constexpr double kWorthWaiting = 1e-3;
/// Launches of a shape that wait though nothing is predicted of them: some devices tell no times. Source: chosen.
inline constexpr std::uint32_t kMaxWaits = 16;

// --- which launches are timed ---

/// Launches of a shape that are timed at first. Source: chosen: as many as tell a rate twice over (kEnoughSamples of
/// partitioner/model/rate_constants.h).
inline constexpr std::uint32_t kFirstTimed = 8;
/// After them one in so many, at most and at least. Source: chosen: a device that became another one is noticed within
/// two such launches (docs/decisions/exploring-is-paid-for.md).
inline constexpr double kOftenestTimed = 32;
inline constexpr double kSeldomestTimed = 1024;
/// Seconds that timing takes, a batch on a queue with profiling and the way there and back; and the part of what
/// launches take that it may. Source: 17.1 us for launch and end with an event on a profiling queue of an H200
/// (docs/devices/nvidia.md); the part is that of planning (kPlanningPart of partitioner/plan/plan_constants.h).
inline constexpr double kTimingSeconds = 20e-6;
inline constexpr double kTimingPart = 0.02;
/// Seconds of launches that are always timed, since a driver's microseconds for it do not matter. Source: chosen:
/// kTimingSeconds is a twenty-fifth of it.
inline constexpr double kAlwaysTimed = 5e-4;
/// Seconds that launches count as where no decision needs their times: they are for the profile database alone, which a
/// few are enough for. Source: so short that about one in kSeldomestTimed is timed.
inline constexpr double kSeldomTimed = 1e-6;

// --- rounds ---

/// Launches that are timed after a change of plan: rounds that tell what it is worth, and one to begin with. Source:
/// docs/decisions/rounds-judge-plans.md.
inline constexpr std::uint32_t kRoundsTimed = 6;
/// Part of a launch with its transfers. Where running is less, a kernel that has become slower changes no round.
/// Source: chosen: a fifth more (kFarOff of partitioner/model/rate_constants.h) of a fifth is what rounds must differ
/// by to tell (kLongerRounds of partitioner/model/round_constants.h).
inline constexpr double kNotableRunning = 0.2;

}  // namespace skmd::icd::tuning
