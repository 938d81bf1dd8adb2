// SPDX-License-Identifier: Apache-2.0
// Comparing a device's results with a host reference: all outputs, an even sample of them, or Freivalds' test.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace bench {

struct Verdict {
  std::string kind;  // what the JSON line says: all, sampled, freivalds, none
  bool ok = true;
  std::string detail;  // of the first wrong output
};

inline constexpr std::size_t kMinSamples = 65536;

/// Which outputs are compared: all, or one out of each of `samples` equal stretches, at a hashed place inside it so
/// that no column, lane or bank is left out for ever.
class Sample {
 public:
  /// `cost`: nanoseconds that the reference of one output takes, roughly. All outputs if that takes about a second at
  /// most.
  Sample(std::size_t count, double cost);
  std::size_t size() const { return samples_; }
  std::size_t at(std::size_t k) const;
  std::string kind() const { return samples_ == count_ ? "all" : "sampled"; }

 private:
  std::size_t count_;
  std::size_t samples_;
};

/// What is wrong with output `i`; empty if it is right. Called from several threads.
using Judge = std::function<std::string(std::size_t i)>;

Verdict check_outputs(std::size_t count, double cost, const Judge& judge);

/// |actual - expected| <= absolute + relative·|expected|; NaN is never near.
inline bool is_near(double actual, double expected, double relative, double absolute) {
  return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
}

/// For judges: "" or "got … instead of …".
std::string judge_near(double actual, double expected, double relative, double absolute);
std::string judge_equal(long long actual, long long expected);

/// Is C = A·B for square row-major matrices of order n? All entries must be whole numbers so small that the product is
/// exact in float. Compares C·x with A·(B·x) modulo 2^64 for `rounds` random vectors x: a wrong C passes a round with a
/// probability of at most about 2^-39, since entries differ by less than 2^25.
Verdict freivalds(std::span<const float> a, std::span<const float> b, std::span<const float> c, std::size_t n,
                  int rounds);

}  // namespace bench
