// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/link_rates.h"

#include <algorithm>
#include <thread>

#include "intercept/memory/memory_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

void learn(std::atomic<double>& rate, double seen, double newest) {
  const double old = rate.load(std::memory_order_relaxed);
  rate.store(old > 0 ? old + newest * (seen - old) : seen, std::memory_order_relaxed);
}

/// The rate with which kLinkShape gives so many nanoseconds for `bytes`: the smaller of those by which its two ways do.
double bulk_rate(std::uint64_t bytes, std::uint64_t nanoseconds) {
  const auto count = static_cast<double>(bytes);
  const double seconds = static_cast<double>(nanoseconds) * 1e-9;
  const auto by = [&](double fixed, double part) {
    return count / (part * std::max(kLeastOwnPart * seconds, seconds - fixed));
  };
  return std::min(by(kLinkShape.latency_seconds, kLinkShape.small_part), by(kLinkShape.bulk_seconds, 1.0));
}

std::optional<double> known(const std::atomic<double>& rate) {
  const double value = rate.load(std::memory_order_relaxed);
  return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

double assumed_host_rate(unsigned threads) {
  return std::min(kMaxAssumedCopy, kAssumedCopyEach * std::max(2u, threads));
}

LinkRates& LinkRates::get() {
  static LinkRates rates;  // trivially destructible
  return rates;
}

LinkRate LinkRates::of(std::uint32_t device) const { return {known(to_[device % kMax]), known(from_[device % kMax])}; }

double LinkRates::host() const {
  static const double assumed = assumed_host_rate(std::thread::hardware_concurrency());
  return known(host_).value_or(assumed);
}

bool LinkRates::asks(std::uint32_t device, std::uint64_t bytes) {
  if (bytes < kLeastAsked) return false;
  const std::uint32_t count = asked_[device % kMax].fetch_add(1, std::memory_order_relaxed);
  return count < kFirstAsked || count % kEachAsked == 0;
}

void LinkRates::learn_to(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (bytes >= kLeastTelling && nanoseconds != 0)
    learn(to_[device % kMax], bulk_rate(bytes, nanoseconds), kNewestTransfer);
}

void LinkRates::learn_from(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (bytes >= kLeastTelling && nanoseconds != 0)
    learn(from_[device % kMax], bulk_rate(bytes, nanoseconds), kNewestTransfer);
}

void LinkRates::learn_host(std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (bytes < kLeastCopied || nanoseconds == 0) return;
  const double seen = static_cast<double>(bytes) * 1e9 / static_cast<double>(nanoseconds);
  const double old = host();
  // One that is slow had to wait for the processor or for pages; a guess that is too low would keep devices in host
  // memory from being used, and no copy would come to correct it.
  host_.store(seen > old ? seen : old + kNewestTransfer * (seen - old), std::memory_order_relaxed);
}

}  // namespace skmd::icd
