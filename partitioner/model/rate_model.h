// SPDX-License-Identifier: Apache-2.0
// Measured rates per kernel and device: an exponentially weighted mean of groups per second that forgets first uses
// (a first use is a compile, not speed).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "partitioner/model/model.h"
#include "partitioner/mutex.h"
#include "partitioner/partition.h"

namespace skmd::domain {

/// Rates from this process's own samples. One rate per kernel, device and size class of launches (powers of two of
/// work-items); a size never seen takes the nearest one's rate with a larger error.
///
/// Short spans have overheads in them and do not fill a device: the rate is that of the longest spans, and spans of
/// less than half their length count only if they were faster, or if no longer ones come.
class MeasuredRates : public Model {
 public:
  /// `devices[d]`: what is known of device d besides rates: launch cost, link rates, strength, cost of first uses.
  explicit MeasuredRates(std::vector<DeviceModel> devices = {});
  void set_device(std::uint32_t device, const DeviceModel& constants);

  void learn(const Sample& sample) override;
  void launched(const Outcome& outcome) override;
  /// `measured` is false until a sample that is no first use has come.
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
    /// True: the rate is no longer what it was.
    bool learn(double items, double rate, bool whole);
    bool changed(double rate);
    [[nodiscard]] double far_off() const;
  };
  /// The device took so many seconds to begin a span. Called with the lock held.
  void learn_launch(std::uint32_t device, double waited) SKMD_REQUIRES(mutex_);
  /// nearest() of a device that is expected to be as fast as `key.device`, if one was measured.
  const Rate* nearest_of_twins(const Key& key, unsigned& distance) const SKMD_REQUIRES(mutex_);
  /// The entry of the nearest size class, and how many powers of two away it is. Called with the lock held.
  const Rate* nearest(const Key& key, unsigned& distance) const SKMD_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<DeviceModel> devices_ SKMD_GUARDED_BY(mutex_);
  std::map<Key, Rate> rates_ SKMD_GUARDED_BY(mutex_);
  // Kernel, device: there was a first use.
  std::set<std::pair<std::uint64_t, std::uint32_t>> used_ SKMD_GUARDED_BY(mutex_);
  // Kernel, size class.
  std::map<std::pair<std::uint64_t, std::uint8_t>, LaunchLedger> ledgers_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::domain
