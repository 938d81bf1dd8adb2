// SPDX-License-Identifier: Apache-2.0
// What decisions ask about times, and tell of them. An interface of the domain.
#pragma once

#include <cstdint>
#include <functional>

#include "partitioner/model/launch_ledger.h"
#include "partitioner/model/terms.h"
#include "partitioner/partition.h"

namespace skmd::domain {

/// A launch as stored models see it: all its groups in one box. Empty: nothing is known of it but its NDRange. Working
/// it out takes microseconds, so that only those who need it ask. The point lives as long as what was asked about.
using PointOf = std::function<const Point&()>;

/// What a device reports about one completed span.
struct Sample {
  std::uint64_t kernel = 0;  // hash of program and kernel name
  std::uint32_t device = 0;
  NdRange range;
  GroupSpan span;
  std::uint64_t nanoseconds = 0;  // kernel time, without transfers
  bool first_use = false;         // of this kernel and local size on this device
  PointOf point = {};             // of the whole launch
  std::uint64_t waited = 0;       // nanoseconds of them that the device took to begin; 0: not known
};

/// Implementations are thread-safe.
class Model {
 public:
  virtual ~Model() = default;
  virtual void learn(const Sample& sample) = 0;
  virtual void launched(const Outcome& outcome) = 0;
  /// `eligible` is left to the caller.
  [[nodiscard]] virtual DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                            const PointOf& point) const = 0;
  [[nodiscard]] DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const {
    return predict(kernel, device, range, {});
  }
  [[nodiscard]] virtual Experience experience(std::uint64_t kernel, const NdRange& range) const = 0;
};

}  // namespace skmd::domain
