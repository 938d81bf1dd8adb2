// SPDX-License-Identifier: Apache-2.0
// Measured rates per kernel and device: an exponentially weighted mean of groups per second that forgets first uses
// (a first use is a compile, not speed). An interface of the domain; the profile database implements it too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partitioner/partition.h"

namespace skmd::domain {

/// What a device reports about one completed span.
struct Sample {
  std::uint64_t kernel = 0;         // hash of program and kernel name
  std::uint32_t device = 0;
  NdRange range;
  GroupSpan span;
  std::uint64_t nanoseconds = 0;    // kernel time, without transfers
  bool first_use = false;           // of this kernel and local size on this device
};

/// Implementations are thread-safe.
class Model {
 public:
  virtual ~Model() = default;
  virtual void learn(const Sample& sample) = 0;
  /// `eligible` is left to the caller.
  [[nodiscard]] virtual DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const = 0;
};

}  // namespace skmd::domain
