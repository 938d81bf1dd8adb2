// SPDX-License-Identifier: Apache-2.0
// The work of workloads, done by this program itself: by hand-written vectors, or by plain loops.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/cpu/pool.h"

namespace bench {

struct Baseline {
  std::function<double()> once;  // seconds; owns its data
  /// What a median of `seconds` means: how much a second, and what share of what the processor can do at most.
  std::function<nlohmann::ordered_json(double seconds)> describe;
};

/// Floating-point operations per second of multiply-adds that wait for nothing, on all threads.
double peak(Pool& pool);

/// Vectors by hand for `workload`, of as much work as it has at its size `size`: nbody, matrix_multiplication,
/// black_scholes, binomial_option, fft_2d or cholesky. `peak`: see above. `pool` must live as long as the baseline.
Baseline by_hand(const std::string& workload, const std::string& size, Pool& pool, double peak);

/// Those in double precision, which by_hand chooses.
Baseline fft_2d_by_hand(const std::string& size, Pool& pool, double peak);
Baseline cholesky_by_hand(const std::string& size, Pool& pool, double peak);

/// Plain loops for reduction, vector_add, matrix_transpose or scan_large_arrays.
Baseline by_loops(const std::string& workload, const std::string& size, Pool& pool);

}  // namespace bench
