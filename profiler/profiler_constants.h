// SPDX-License-Identifier: Apache-2.0
// How much of reports is kept and told.
#pragma once

#include <cstddef>

namespace skmd::profiler::tuning {

/// Links that were busy for this part of the longest one's time are taken to have been busy together. Source: chosen,
/// not measured: only words of a report follow from it.
inline constexpr double kTogether = 0.7;
/// Mismatches of verified launches, kernels that ran on another CPU driver, failed builds and traps that a report
/// names: enough to look at. Source: chosen.
inline constexpr std::size_t kKeptMismatches = 8;
inline constexpr std::size_t kKeptKernels = 16;
inline constexpr std::size_t kKeptBuilds = 16;
inline constexpr std::size_t kKeptTraps = 16;

}  // namespace skmd::profiler::tuning
