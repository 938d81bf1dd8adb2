// SPDX-License-Identifier: Apache-2.0
// OpenCL C of a 1-D Fourier transform, written out for one length as FFT libraries do it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// One pass over all numbers: transforms of length `radix()`, `first` times `second`. A work-item holds `first`
/// numbers, which it transforms without a loop, exchanges them in local memory, and transforms `first / second` times
/// `second`. Both are powers of two, and `second` divides `first`.
struct FftPass {
  std::size_t first, second;
  std::size_t radix() const { return first * second; }
};

/// Transforms beside each other in a work-group.
inline constexpr std::size_t kFftColumns = 8;

/// A transform of `length()` numbers, in as many passes as given, from one buffer to the other and back (Stockham:
/// results come out in order).
struct FftPlan {
  std::vector<FftPass> passes;
  std::size_t length() const;
  /// Work-items of pass `k`, all and in a group.
  std::size_t global(std::size_t k) const { return length() / passes[k].first; }
  std::size_t local(std::size_t k) const { return kFftColumns * passes[k].second; }
};

/// The kernel of pass `k`: "forward_0", "inverse_0", …
std::string fft_kernel_name(bool inverse, std::size_t k);

/// All passes of both directions. Each kernel: (__global const float2* in, __global float2* out). The last pass of the
/// inverse divides by the length.
std::string fft_text(const FftPlan& plan);

}  // namespace bench
