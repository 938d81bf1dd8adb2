// SPDX-License-Identifier: Apache-2.0
// Measured rates per kernel and device: an exponentially weighted mean of groups per second that forgets first uses
// (a first use is a compile, not speed). An interface of the domain; the profile database implements it too.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "partitioner/partition.h"

namespace skmd::domain {

/// What a device reports about one completed span.
struct Sample {
  std::uint64_t kernel = 0;  // hash of program and kernel name
  std::uint32_t device = 0;
  NdRange range;
  GroupSpan span;
  std::uint64_t nanoseconds = 0;  // kernel time, without transfers
  bool first_use = false;         // of this kernel and local size on this device
};

/// Implementations are thread-safe.
class Model {
 public:
  virtual ~Model() = default;
  virtual void learn(const Sample& sample) = 0;
  /// `eligible` is left to the caller.
  [[nodiscard]] virtual DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const = 0;
};

/// Rates from this process's own samples. One rate per kernel, device and size class of launches (powers of two of
/// work-items); a size never seen takes the nearest one's rate with a larger error.
class MeasuredRates : public Model {
 public:
  /// `devices[d]`: what is known of device d besides rates: launch cost and link rates.
  explicit MeasuredRates(std::vector<DeviceModel> devices = {});
  void set_device(std::uint32_t device, const DeviceModel& constants);

  void learn(const Sample& sample) override;
  /// `measured` is false until a sample that is no first use has come.
  [[nodiscard]] DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const override;

 private:
  struct Key {
    std::uint64_t kernel = 0;
    std::uint32_t device = 0;
    std::uint8_t size_class = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Rate {
    double items_per_second = 0.0;
    double variance = 0.0;  // exponentially weighted, of items_per_second
    std::uint32_t samples = 0;
  };
  /// The entry of the nearest size class, and how many powers of two away it is. Called with the lock held.
  const Rate* nearest(const Key& key, unsigned& distance) const;

  mutable std::mutex mutex_;
  std::vector<DeviceModel> devices_;
  std::map<Key, Rate> rates_;
};

}  // namespace skmd::domain
