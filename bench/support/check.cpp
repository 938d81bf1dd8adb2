// SPDX-License-Identifier: Apache-2.0
#include "bench/support/check.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <sstream>
#include <vector>

#include "bench/support/parallel.h"
#include "bench/support/random.h"

namespace bench {
namespace {

constexpr double kBudgetNanoseconds = 1e9;
constexpr float kExactFloat = 16777216.0f;  // 2^24

template <typename T>
std::string differs(T actual, T expected) {
  std::ostringstream text;
  text.precision(9);
  text << "got " << actual << " instead of " << expected;
  return text.str();
}

/// m·x modulo 2^64.
std::vector<std::uint64_t> multiply(std::span<const float> m, const std::vector<std::uint64_t>& x) {
  const std::size_t n = x.size();
  std::vector<std::uint64_t> result(n);
  parallel_for(n, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(m[row * n + k])) * x[k];
      }
      result[row] = sum;
    }
  });
  return result;
}

}  // namespace

Sample::Sample(std::size_t count, double cost) : count_(count) {
  const auto affordable = static_cast<std::size_t>(kBudgetNanoseconds / std::max(cost, 1e-3));
  samples_ = std::min(count, std::max(kMinSamples, affordable));
}

std::size_t Sample::at(std::size_t k) const {
  if (samples_ == count_) return k;
  const std::size_t first = count_ * k / samples_;
  const std::size_t last = count_ * (k + 1) / samples_;
  return first + mix(k) % (last - first);
}

Verdict check_outputs(std::size_t count, double cost, const Judge& judge) {
  const Sample sample(count, cost);
  std::mutex mutex;
  std::size_t first_wrong = count;
  std::string detail;
  parallel_for(sample.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t i = sample.at(k);
      std::string wrong = judge(i);
      if (wrong.empty()) continue;
      const std::lock_guard lock(mutex);
      if (i < first_wrong) {
        first_wrong = i;
        detail = "output " + std::to_string(i) + ": " + wrong;
      }
      return;
    }
  });
  return {sample.kind(), detail.empty(), detail};
}

std::string judge_near(double actual, double expected, double relative, double absolute) {
  return is_near(actual, expected, relative, absolute) ? "" : differs(actual, expected);
}

std::string judge_equal(long long actual, long long expected) {
  return actual == expected ? "" : differs(actual, expected);
}

Verdict freivalds(std::span<const float> a, std::span<const float> b, std::span<const float> c, std::size_t n,
                  int rounds) {
  Verdict verdict{"freivalds", true, ""};
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!(std::abs(c[i]) <= kExactFloat) || c[i] != std::trunc(c[i])) {
      return {"freivalds", false, "output " + std::to_string(i) + " is no small whole number"};
    }
  }
  Random random(2718);
  for (int round = 0; round < rounds && verdict.ok; ++round) {
    std::vector<std::uint64_t> x(n);
    for (std::uint64_t& value : x) value = (static_cast<std::uint64_t>(random.bits()) << 32) | random.bits();
    const auto expected = multiply(a, multiply(b, x));
    const auto actual = multiply(c, x);
    const auto wrong = std::mismatch(actual.begin(), actual.end(), expected.begin());
    if (wrong.first == actual.end()) continue;
    verdict.ok = false;
    verdict.detail = "row " + std::to_string(wrong.first - actual.begin()) + " of the product is wrong";
  }
  return verdict;
}

}  // namespace bench
