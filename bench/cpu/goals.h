// SPDX-License-Identifier: Apache-2.0
// What the rows of the table have to reach: it depends on what the processor has, and on what code may use of it.
#pragma once

#include <string_view>

namespace bench {

/// Each has what those before it have.
enum class Vectors { sse, avx2, avx512 };

struct Processor {
  Vectors has = Vectors::sse;
  bool is_zen5 = false;  // AMD's family 1Ah or later
};

/// The least ratios: PoCL's time over ours of each of the sixteen, of their geometric mean and of divergent kernels;
/// that of vectors by hand, and of plain loops, over ours.
struct Goals {
  double workload, mean, divergent, by_hand, by_loops;
};

/// PoCL compiles for all that the processor has, also where `used` is less; what is compared `by_hand` has `used`.
Goals goals_of(const Processor& processor, Vectors used);

/// The one that this runs on; without vectors of 256 bits that the system saves, `sse`.
Processor this_processor();

/// What code may use of `processor`: all, or what SKMD_TEST_ISA's value `cap` leaves of it. Other values cap nothing.
Vectors used_of(const Processor& processor, std::string_view cap);

}  // namespace bench
