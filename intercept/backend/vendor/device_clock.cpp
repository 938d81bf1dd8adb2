// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/device_clock.h"

#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

std::int64_t drift(std::uint64_t since, std::uint64_t now) {
  return now > since ? static_cast<std::int64_t>((now - since) / kTimePerDrift) : 0;
}

std::int64_t difference(const DeviceClock::Pair& pair) { return static_cast<std::int64_t>(pair.host - pair.device); }

}  // namespace

void DeviceClock::learn(const std::optional<Pair>& begun, const Pair& seen) {
  const std::int64_t most = difference(seen);
  if (!most_ || most <= most_->difference + drift(most_->at, seen.host)) most_ = Bound{most, seen.host};
  if (begun) {
    const std::int64_t least = difference(*begun);
    if (!least_ || least >= least_->difference - drift(least_->at, begun->host)) least_ = Bound{least, begun->host};
  }
  if (!least_ || least_->difference <= most_->difference) return;
  // One of the two was set meanwhile, or drifts fast. What was learnt just now is true still.
  most_ = Bound{most, seen.host};
  least_.reset();
  if (begun && difference(*begun) <= most) least_ = Bound{difference(*begun), begun->host};
}

std::uint64_t DeviceClock::on_host(std::uint64_t device) const {
  const Bound bound = least_ ? *least_ : most_.value_or(Bound{});
  const auto host = static_cast<std::int64_t>(device + static_cast<std::uint64_t>(bound.difference));
  return host < 0 ? 0 : static_cast<std::uint64_t>(host);
}

}  // namespace skmd::icd
