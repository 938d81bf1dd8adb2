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

/// The rate with which a link of this shape gives so many nanoseconds for `bytes`: the smaller of those by which its
/// two ways do.
double bulk_rate(std::uint64_t bytes, std::uint64_t nanoseconds, const domain::LinkShape& shape) {
  const auto count = static_cast<double>(bytes);
  const double seconds = static_cast<double>(nanoseconds) * 1e-9;
  const auto by = [&](double fixed, double part) {
    return count / (part * std::max(kLeastOwnPart * seconds, seconds - fixed));
  };
  const double large = by(shape.bulk_seconds, 1.0);
  return shape.small_part > 0 ? std::min(by(shape.latency_seconds, shape.small_part), large) : large;
}

/// The rate that a driver's time of one transfer shows, in bytes per second; nothing if it took no time, or was too
/// small for its time to show one. The driver of a far device counts no round trip.
std::optional<double> rate_of_driver(bool far, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (nanoseconds == 0 || bytes < (far ? kLeastTellingFar : kLeastTelling)) return std::nullopt;
  return bulk_rate(bytes, nanoseconds, far ? domain::LinkShape{} : kLinkShape);
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

LinkRate LinkRates::of(std::uint32_t device) const {
  const Way& to = to_[place(device)];
  const Way& from = from_[place(device)];
  return {known(to.rate), known(from.rate), to.told.load(std::memory_order_relaxed),
          from.told.load(std::memory_order_relaxed)};
}

void LinkRates::Way::learn(double seen) {
  const bool early = told.fetch_add(1, std::memory_order_relaxed) < kEarlyTransfers;
  if (early && seen > rate.load(std::memory_order_relaxed)) return rate.store(seen, std::memory_order_relaxed);
  icd::learn(rate, seen, kNewestTransfer);
}

void LinkRates::set_far(std::uint32_t device, std::uint32_t link) {
  far_link_[device % kMax].store(link + 1, std::memory_order_relaxed);
}

std::uint32_t LinkRates::link_of(std::uint32_t device) const {
  const std::uint32_t link = far_link_[device % kMax].load(std::memory_order_relaxed);
  return link == 0 ? device : link - 1;
}

bool LinkRates::is_far(std::uint32_t device) const {
  return far_link_[device % kMax].load(std::memory_order_relaxed) != 0;
}

domain::LinkShape LinkRates::shape(std::uint32_t device) const {
  if (!is_far(device)) return kLinkShape;
  return {.latency_seconds = 0.0, .small_part = 0.0, .bulk_seconds = round_trip(device)};
}

double LinkRates::assumed(std::uint32_t device) const { return is_far(device) ? kAssumedNetwork : kAssumedLink; }

double LinkRates::known_round_trip(std::uint32_t device) const {
  return known(round_trip_[place(device)]).value_or(0.0);
}

double LinkRates::round_trip(std::uint32_t device) const {
  if (!is_far(device)) return 0.0;
  return known(round_trip_[place(device)]).value_or(kAssumedRoundTrip);
}

void LinkRates::learn_round_trip(std::uint32_t device, std::uint64_t nanoseconds) {
  if (nanoseconds != 0)
    round_trip_[place(device)].store(static_cast<double>(nanoseconds) * 1e-9, std::memory_order_relaxed);
}

double LinkRates::host() const {
  static const double assumed = assumed_host_rate(std::thread::hardware_concurrency());
  return known(host_).value_or(assumed);
}

double LinkRates::host(std::uint64_t bytes) const {
  return bytes < kLeastCopied ? known(host_small_).value_or(host()) : host();
}

bool LinkRates::asks(std::uint32_t device, std::uint64_t bytes) {
  if (bytes < kLeastAsked) return false;
  const std::uint32_t count = asked_[device % kMax].fetch_add(1, std::memory_order_relaxed);
  return count < kFirstAsked || count % kEachAsked == 0;
}

void LinkRates::learn_to(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (const auto rate = rate_of_driver(is_far(device), bytes, nanoseconds)) to_[place(device)].learn(*rate);
}

void LinkRates::learn_to_at_least(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds) {
  const auto rate = rate_of_driver(is_far(device), bytes, nanoseconds);
  Way& way = to_[place(device)];
  if (rate && *rate > known(way.rate).value_or(assumed(device))) way.learn(*rate);
}

void LinkRates::learn_from(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (const auto rate = rate_of_driver(is_far(device), bytes, nanoseconds)) from_[place(device)].learn(*rate);
}

void LinkRates::learn_measured(std::uint32_t device, std::uint64_t bytes, std::uint64_t to, std::uint64_t from) {
  if (to != 0) to_[place(device)].learn(bulk_rate(bytes, to, shape(device)));
  if (from != 0) from_[place(device)].learn(bulk_rate(bytes, from, shape(device)));
}

void LinkRates::learn_host(std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (bytes < kLeastTelling || nanoseconds == 0) return;
  const double seen = static_cast<double>(bytes) * 1e9 / static_cast<double>(nanoseconds);
  if (bytes < kLeastCopied) return learn(host_small_, seen, kNewestTransfer);
  const double old = host();
  // One that is slow had to wait for the processor or for pages; a guess that is too low would keep devices in host
  // memory from being used, and no copy would come to correct it.
  host_.store(seen > old ? seen : old + kNewestTransfer * (seen - old), std::memory_order_relaxed);
}

}  // namespace skmd::icd
