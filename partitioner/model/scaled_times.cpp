// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/scaled_times.h"

#include <charconv>
#include <cmath>
#include <string>

namespace skmd::domain {

DeviceModel ScaledTimes::predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                 const PointOf& point) const {
  DeviceModel model = times_.predict(kernel, device, range, point);
  const double factor = device < factors_.size() ? factors_[device] : 1.0;
  model.groups_per_second *= factor;
  model.whole_groups_per_second *= factor;
  model.first_use_groups_per_second *= factor;
  return model;
}

Result<std::vector<double>> parse_rate_factors(std::string_view text, std::size_t devices) {
  const auto refused = [&](const std::string& why) {
    return Error{0, std::string("SKMD_TEST_RATES=").append(text).append(": ").append(why)};
  };
  std::vector<double> factors;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    double factor = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), factor);
    if (item.empty() || error != std::errc() || end != item.data() + item.size() || !std::isfinite(factor) ||
        factor <= 0)
      return refused("'" + std::string(item) + "' is no positive number");
    factors.push_back(factor);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (factors.size() > devices)
    return refused(std::to_string(factors.size()) + " factors for " + std::to_string(devices) + " devices");
  return factors;
}

}  // namespace skmd::domain
