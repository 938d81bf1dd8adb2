// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/link_rates.h"

namespace skmd::icd {

LinkRates& LinkRates::get() {
  static LinkRates rates;  // trivially destructible
  return rates;
}

LinkRate LinkRates::of(std::uint32_t device) const {
  const double to = to_[device % kMost].load(std::memory_order_relaxed);
  const double from = from_[device % kMost].load(std::memory_order_relaxed);
  return {to > 0 ? to : kAssumed, from > 0 ? from : kAssumed};
}

void LinkRates::learn(std::atomic<double>& rate, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (bytes < kLeast || nanoseconds == 0) return;
  const double seen = static_cast<double>(bytes) * 1e9 / static_cast<double>(nanoseconds);
  const double old = rate.load(std::memory_order_relaxed);
  rate.store(old > 0 ? 0.75 * old + 0.25 * seen : seen, std::memory_order_relaxed);
}

void LinkRates::learn_to(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds) {
  learn(to_[device % kMost], bytes, nanoseconds);
}

void LinkRates::learn_from(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds) {
  learn(from_[device % kMost], bytes, nanoseconds);
}

}  // namespace skmd::icd
