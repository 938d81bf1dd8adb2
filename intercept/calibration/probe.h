// SPDX-License-Identifier: Apache-2.0
// What calibration does to a device, apart from what it concludes: tests put a simulated device in its place.
#pragma once

#include <cstdint>
#include <functional>

#include "partitioner/base/result.h"

namespace skmd::icd::calibration {

/// Seconds from some moment on; never goes back.
using Clock = std::function<double()>;

/// Every function blocks until the device has ended what was asked. One thread at a time.
class DeviceProbe {
 public:
  virtual ~DeviceProbe() = default;
  /// Builds kernels and provides memory to read `bytes` of. Before everything else.
  virtual domain::Status prepare(std::uint64_t bytes) = 0;
  /// Empty kernels one after the other, each a launch of its own.
  virtual domain::Status launches(std::uint32_t count) = 0;
  /// One launch of an empty kernel that is cut into `count` boxes.
  virtual domain::Status boxes(std::uint32_t count) = 0;
  /// Builds a kernel that the driver has never seen, and launches nothing.
  virtual domain::Status make_fresh() = 0;
  /// Launches the kernel that make_fresh() built last.
  virtual domain::Status launch_fresh() = 0;
  /// Reads the first `bytes`, a power of two and at least kLeastRead, `passes` times.
  virtual domain::Status read(std::uint64_t bytes, std::uint32_t passes) = 0;
};

}  // namespace skmd::icd::calibration
