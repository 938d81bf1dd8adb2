// SPDX-License-Identifier: Apache-2.0
// Seeds of random tests are fixed; scripts/extended.sh asks for others.
#pragma once

#include <cstdlib>

namespace skmd::test {

/// SKMD_TEST_SEED, to be added to a test's own seeds; 0 by default.
inline unsigned seed_offset() {
  const char* const text = std::getenv("SKMD_TEST_SEED");
  return text == nullptr ? 0 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

}  // namespace skmd::test
