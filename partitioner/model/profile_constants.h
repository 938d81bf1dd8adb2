// SPDX-License-Identifier: Apache-2.0
// Which spans profiling mode times, and how often: profile_spans.h, profile_runs.h.
#pragma once

#include <array>
#include <cstdint>

namespace skmd::domain::tuning {

/// Groups of the first spans, and how many lengths follow in a geometric row. Source: SKMD (TOCS 2015), section 4.
inline constexpr std::array<std::uint64_t, 4> kFirstLengths{4, 8, 12, 16};
inline constexpr int kGeometricLengths = 12;

/// Seconds: a span that takes this long is run once, since noise does not matter there. Source: chosen.
inline constexpr double kLastingSeconds = 0.02;
/// Runs of a short span. Source: of three runs on sixteen threads of a virtual machine two were late now and then.
inline constexpr std::uint32_t kRuns = 5;
/// Seconds: a span that takes this long is run twice, and a third time if these two differ by more than kAgreement.
/// Source: with five runs, profiling took 20 to 33 times as long as the application alone, with three 5 to 30 times:
/// sixteen workloads at profile1 on two devices; docs/results/overheads.md ("What knowing costs").
inline constexpr double kMiddlingSeconds = 1e-3;
inline constexpr std::uint32_t kMiddlingRuns = 3;
inline constexpr double kAgreement = 0.05;
/// Runs of such a span that progress is counted by. Source: one span in four is run a third time.
inline constexpr double kUsualMiddlingRuns = 2.25;
/// Seconds for each unit, and at most, in which a device that has been idle works more slowly. Source: threads of
/// sixteen virtual cores took twice as long in their process's first tenth of a second. That it takes fewer threads
/// less is assumed, not measured.
inline constexpr double kSettlingSecondsPerUnit = 0.1 / 16;
inline constexpr double kMaxSettlingSeconds = 0.1;

}  // namespace skmd::domain::tuning
