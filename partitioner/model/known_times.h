// SPDX-License-Identifier: Apache-2.0
// What this process measured, and before that what former ones did: the model that decisions go by.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "partitioner/model/correction.h"
#include "partitioner/model/rate_model.h"
#include "partitioner/model/stored_model.h"
#include "partitioner/mutex.h"

namespace skmd::domain {

/// Seconds of a clock that does not go back.
using Seconds = std::function<double()>;

/// A device's own rate for launches of this size answers where it rests on enough samples of spans that are not much
/// shorter than the launch. Until then a stored model does, corrected by the samples there are; where there is none,
/// the rates are all that is known.
class KnownTimes : public Model {
 public:
  /// `devices` as of MeasuredRates.
  explicit KnownTimes(
      std::vector<DeviceModel> devices = {}, Seconds now = [] { return 0.0; });

  void set_device(std::uint32_t device, const DeviceModel& constants) { rates_.set_device(device, constants); }
  /// From now on `model` is what is stored of the kernel on the device. Corrections of the kernel begin anew.
  void store(std::uint64_t kernel, std::uint32_t device, StoredModel model);
  /// On how many devices something is stored of the kernel.
  [[nodiscard]] std::size_t stored(std::uint64_t kernel) const;

  void learn(const Sample& sample) override;
  void launched(const Outcome& outcome) override { rates_.launched(outcome); }
  using Model::predict;
  [[nodiscard]] DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                    const PointOf& point) const override;
  [[nodiscard]] Experience experience(std::uint64_t kernel, const NdRange& range) const override {
    return rates_.experience(kernel, range);
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // kernel, device
  [[nodiscard]] std::shared_ptr<const StoredModel> find(const Key& key) const;
  [[nodiscard]] bool own_is_enough(const DeviceModel& own, const Key& key, const NdRange& range) const;
  [[nodiscard]] DeviceModel corrected(DeviceModel stored, const Key& key, const NdRange& range) const;

  MeasuredRates rates_;
  const Seconds now_;
  std::atomic<bool> any_stored_{false};
  mutable Mutex mutex_;
  std::map<Key, std::shared_ptr<const StoredModel>> stored_ SKMD_GUARDED_BY(mutex_);
  Corrections corrections_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::domain
