// SPDX-License-Identifier: Apache-2.0
// How long commands take and what they draw.
#pragma once

#include <chrono>
#include <cstddef>

namespace skmd::profiler::tuning {

// --- calibrate ---

/// Seconds for all devices and links, and with --quick. Source: docs/decisions/calibration-happens-in-the-library.md.
inline constexpr double kCalibration = 30.0;
inline constexpr double kQuickCalibration = 5.0;

// --- plot ---

/// Panels of a picture, and points of a curve. Source: chosen: what is legible on a page.
inline constexpr std::size_t kMaxPanels = 48;
inline constexpr int kCurvePoints = 48;

// --- the line that tells of progress ---

/// Letters between the brackets, and columns of a terminal that does not say. Source: chosen; terminals have had 80
/// columns since the VT100.
inline constexpr std::size_t kBar = 20;
inline constexpr std::size_t kColumns = 80;
/// Part of the work: less says nothing about the time that the rest takes. Source: chosen, not measured.
inline constexpr double kLeastPart = 0.01;
/// Part of a plan: where less is done, the plan's own pace counts for as much as what was seen, or more. Source:
/// chosen, not measured.
inline constexpr double kUnsurePart = 0.05;
/// Part of what is left that may be under way. Source: spans get shorter by a fifth each (spans of the paper).
inline constexpr double kLongestPiece = 0.25;
/// From one drawing to the next, at least. Source: chosen: what an eye follows.
inline constexpr std::chrono::milliseconds kPause{100};

}  // namespace skmd::profiler::tuning
