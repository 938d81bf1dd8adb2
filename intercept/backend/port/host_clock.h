// SPDX-License-Identifier: Apache-2.0
// The clock of all times that are compared with each other: the host's steady clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace skmd::icd {

/// Now, in nanoseconds. Thread-safe.
inline std::uint64_t host_now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace skmd::icd
