// SPDX-License-Identifier: Apache-2.0
// What is read off measured curves of bandwidth (calibration_curves.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::domain::tuning {

/// A cache is distinguished from memory only if it is faster by this factor. Source: more than the spread of
/// measurements of one size, 10 % on idle machines and twice that on shared ones.
inline constexpr double kLeastStep = 1.4;
/// Factor on the memory's rate where it bounds predictions: a bound that is too low would make good predictions worse,
/// one that is too high costs little. Source: the spread of measurements of one size, as above.
inline constexpr double kHeadroom = 1.1;
/// Part of the best rate: more threads than reach it add too little. Source: the spread of measurements, as above.
inline constexpr double kNearlyBest = 0.9;
/// Sizes from one part in so many of the last fast size on are expected to lie in the same cache. Source: levels of
/// present processors' caches differ by more; tests/partitioner/model/calibration_curves_test.cpp.
inline constexpr std::uint64_t kInside = 8;
/// Points at an end of a curve that are taken together. Source: the middle of three is no outlier.
inline constexpr std::size_t kPlateau = 3;

}  // namespace skmd::domain::tuning
