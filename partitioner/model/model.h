// SPDX-License-Identifier: Apache-2.0
// The interface through which decisions read predicted times and report measured ones.
#pragma once

#include <cstdint>
#include <functional>

#include "partitioner/model/launch_ledger.h"
#include "partitioner/model/terms.h"
#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// A launch as stored models see it: all its groups in one box. Empty: only its NDRange is known. A call takes
/// microseconds, so only models that need the point make it. The point is valid as long as the launch that it
/// describes.
using PointOf = std::function<const Point&()>;

/// One completed span, as measured by its device.
struct Sample {
  std::uint64_t kernel = 0;  // hash of program and kernel name
  std::uint32_t device = 0;
  NdRange range;
  GroupSpan span;
  std::uint64_t nanoseconds = 0;  // kernel time, without transfers
  bool first_use = false;         // of this kernel and local size on this device
  PointOf point = {};             // of the whole launch
  std::uint64_t waited = 0;       // of these nanoseconds, those before the device began; 0: not known
};

/// Implementations are thread-safe.
class Model {
 public:
  virtual ~Model() = default;
  virtual void learn(const Sample& sample) = 0;
  virtual void launched(const LaunchOutcome& outcome) = 0;
  /// The believed times of `device` for launches over `range`; `measured` is false without a rate. The caller sets
  /// `eligible`.
  [[nodiscard]] virtual DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                            const PointOf& point) const = 0;
  [[nodiscard]] DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const {
    return predict(kernel, device, range, {});
  }
  [[nodiscard]] virtual Experience experience(std::uint64_t kernel, const NdRange& range) const = 0;
};

}  // namespace skmd::domain
