// SPDX-License-Identifier: Apache-2.0
// Room in the mapped file in which a profiled application counts. It is written and read by one version of SKMD.
#pragma once

#include <cstddef>

namespace skmd::profiler::tuning {

/// Kernels, devices of each, and reasons for which launches of one were not profiled; further kernels are counted
/// together. Source: chosen, not measured: more than applications have.
inline constexpr std::size_t kMaxKernels = 1024;
inline constexpr std::size_t kMaxDevices = 32;
inline constexpr std::size_t kMaxReasons = 8;

}  // namespace skmd::profiler::tuning
