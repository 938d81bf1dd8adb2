// SPDX-License-Identifier: Apache-2.0
// Inputs: the same on every run and machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// SplitMix64's output function: a good hash of its argument.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}
  std::uint32_t bits() { return static_cast<std::uint32_t>(mix(state_++) >> 32); }
  /// In [low, high).
  float uniform(float low, float high) { return low + (high - low) * (static_cast<float>(bits() >> 8) * 0x1p-24f); }
  /// In [0, limit).
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits()) * limit) >> 32);
  }

 private:
  std::uint64_t state_;
};

inline std::vector<float> random_floats(std::size_t count, std::uint64_t seed, float low, float high) {
  Random random(seed);
  std::vector<float> result(count);
  for (float& value : result) value = random.uniform(low, high);
  return result;
}

/// Whole numbers in [low, low + range) as floats: their sums are exact up to 2^24, in any order.
inline std::vector<float> random_whole_floats(std::size_t count, std::uint64_t seed, int low, std::uint32_t range) {
  Random random(seed);
  std::vector<float> result(count);
  for (float& value : result) value = static_cast<float>(low + static_cast<int>(random.below(range)));
  return result;
}

template <typename T>
std::vector<T> random_bytes_as(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> result(count);
  auto* bytes = reinterpret_cast<unsigned char*>(result.data());
  for (std::size_t i = 0; i < count * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random.bits());
  return result;
}

}  // namespace bench
