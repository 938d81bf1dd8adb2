// SPDX-License-Identifier: Apache-2.0
// A model that takes devices for faster or slower than they are known to be, for tests of plans that go wrong.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/model/model.h"

namespace skmd::domain {

/// Thread-safe as `times`, which it keeps a reference to.
class ScaledTimes : public Model {
 public:
  /// `factors`: of the rates of each device; 1 where there are fewer.
  ScaledTimes(Model& times, std::vector<double> factors) : times_(times), factors_(std::move(factors)) {}

  void learn(const Sample& sample) override { times_.learn(sample); }
  void launched(const LaunchOutcome& outcome) override { times_.launched(outcome); }
  using Model::predict;
  [[nodiscard]] DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                    const PointOf& point) const override;
  [[nodiscard]] Experience experience(std::uint64_t kernel, const NdRange& range) const override {
    return times_.experience(kernel, range);
  }

 private:
  Model& times_;
  const std::vector<double> factors_;
};

/// SKMD_TEST_RATES: positive numbers with commas between, one for each device at most. An error names the value.
Result<std::vector<double>> parse_rate_factors(std::string_view text, std::size_t devices);

}  // namespace skmd::domain
