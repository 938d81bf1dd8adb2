// SPDX-License-Identifier: Apache-2.0
// Measured rates per kernel, device and size of launch: an exponentially weighted mean of work-items per second, with
// outliers clamped. A first use, whose time may hold a compilation, does not enter it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "partitioner/base/mutex.h"
#include "partitioner/model/model.h"
#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// Rates from this process's own samples. One rate per kernel, device and size class of launches (powers of two of
/// work-items); a size without samples takes the nearest one's rate with a larger error. Thread-safe.
///
/// Short spans contain overheads and do not fill a device: the rate is that of the longest spans, and spans of less
/// than half their length count only if they were faster, or if longer ones no longer arrive.
class MeasuredRates : public Model {
 public:
  /// `devices[d]`: properties of device d other than rates: launch cost, link rates, strength, cost of first uses.
  explicit MeasuredRates(std::vector<DeviceModel> devices = {});
  void set_device(std::uint32_t device, const DeviceModel& constants);

  void learn(const Sample& sample) override;
  void launched(const LaunchOutcome& outcome) override;
  /// `measured` is false until a sample that is not a first use has been learnt.
  using Model::predict;
  [[nodiscard]] DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                    const PointOf& point) const override;
  /// How many samples the device's rate for launches of this size rests on; 0 where it is that of another size or of a
  /// device of the same make. First uses do not count.
  [[nodiscard]] std::uint32_t samples(std::uint64_t kernel, std::uint32_t device, const NdRange& range) const;
  [[nodiscard]] Experience experience(std::uint64_t kernel, const NdRange& range) const override;

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
    double span_items = 0.0;              // the longest span, forgotten where only shorter ones come
    double whole_items_per_second = 0.0;  // of whole launches; 0: there was none
    double first_items_per_second = 0.0;  // of the last first use
    double odd_rate = 0.0;                // of the last sample, if it was far off
    double usual_items = 0.0;             // of the last sample that was not
    /// `items`: work-items of the span; `rate`: work-items per second; `whole`: the span was the whole launch. True if
    /// the device has become faster or slower.
    bool learn(double items, double rate, bool whole);
    bool changed(double rate);
    [[nodiscard]] double far_off() const;
  };
  /// `waited`: seconds until the device began a span.
  void learn_launch(std::uint32_t device, double waited) SKMD_REQUIRES(mutex_);
  /// nearest() of a device that is expected to be as fast as `key.device`, if one was measured.
  const Rate* nearest_of_twins(const Key& key, unsigned& distance) const SKMD_REQUIRES(mutex_);
  /// The entry of the nearest size class, and how many powers of two away it is.
  const Rate* nearest(const Key& key, unsigned& distance) const SKMD_REQUIRES(mutex_);

  mutable Mutex mutex_{LockRank::measured_rates};
  std::vector<DeviceModel> devices_ SKMD_GUARDED_BY(mutex_);
  std::map<Key, Rate> rates_ SKMD_GUARDED_BY(mutex_);
  // Kernel, device: there was a first use.
  std::set<std::pair<std::uint64_t, std::uint32_t>> used_ SKMD_GUARDED_BY(mutex_);
  // Kernel, size class.
  std::map<std::pair<std::uint64_t, std::uint8_t>, LaunchLedger> ledgers_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::domain
