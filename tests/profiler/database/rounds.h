// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>

namespace skmd::profiler::test {

inline constexpr int kAll = 200;  // as scripts/extended.sh has it: then nothing is left out

/// SKMD_TEST_ROUNDS, which scripts/extended.sh sets: 1 in the ordinary run, else how many times as much is tried.
inline int rounds() {
  const char* text = std::getenv("SKMD_TEST_ROUNDS");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

}  // namespace skmd::profiler::test
