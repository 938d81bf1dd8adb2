// SPDX-License-Identifier: Apache-2.0
// What launches over two buffers of words are to give.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace skmd::icd::test {

constexpr std::uint32_t kItems = 1024;
constexpr std::uint32_t kGroups = kItems / 64;
using Words = std::vector<std::uint32_t>;

inline Words ramp(std::uint32_t first) {
  Words values(kItems);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// y + 2 x
inline Words axpy_of(const Words& y, const Words& x) {
  Words sum(kItems);
  for (std::size_t i = 0; i < kItems; ++i) sum[i] = y[i] + 2 * x[i];
  return sum;
}

/// Of each word with its neighbours; the ends count twice.
inline Words sums_of(const Words& x) {
  Words sum(kItems);
  for (std::size_t i = 0; i < kItems; ++i)
    sum[i] = x[i == 0 ? 0 : i - 1] + x[i] + x[i + 1 < kItems ? i + 1 : kItems - 1];
  return sum;
}

}  // namespace skmd::icd::test
