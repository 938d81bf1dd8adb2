// SPDX-License-Identifier: Apache-2.0
// The model that decisions use: measurements of this process, and until those suffice, of former ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "partitioner/base/mutex.h"
#include "partitioner/model/correction.h"
#include "partitioner/model/rate_model.h"
#include "partitioner/model/stored_model.h"

namespace skmd::domain {

/// Seconds of a clock that does not go back.
using Seconds = std::function<double()>;

/// Which stored models count.
enum class StoredTrust : std::uint8_t {
  sure,  // is_sure() of the launch
  all
};

/// Predicts by the device's own rate for launches of this size if it rests on enough samples of spans that are not much
/// shorter than the launch; until then by the stored model, if it counts (StoredTrust), corrected by the samples so
/// far; else by the rates. Where the stored model counts, those of the first launches that are a little slower than it
/// says count for nothing. Thread-safe.
class KnownTimes : public Model {
 public:
  /// `devices` as of MeasuredRates.
  explicit KnownTimes(
      std::vector<DeviceModel> devices = {}, Seconds now = [] { return 0.0; }, StoredTrust trust = StoredTrust::all);

  void set_device(std::uint32_t device, const DeviceModel& constants) { rates_.set_device(device, constants); }
  /// Replaces the stored model of the kernel on the device and discards the kernel's corrections.
  void store(std::uint64_t kernel, std::uint32_t device, StoredModel model);
  /// The number of devices with a stored model of the kernel that may count.
  [[nodiscard]] std::size_t stored(std::uint64_t kernel) const;

  void learn(const Sample& sample) override;
  /// A split of which a sample counted for nothing is not judged, like one that explores.
  void launched(const LaunchOutcome& outcome) override;
  using Model::predict;
  [[nodiscard]] DeviceModel predict(std::uint64_t kernel, std::uint32_t device, const NdRange& range,
                                    const PointOf& point) const override;
  [[nodiscard]] Experience experience(std::uint64_t kernel, const NdRange& range) const override {
    return rates_.experience(kernel, range);
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // kernel, device
  [[nodiscard]] std::shared_ptr<const StoredModel> find(const Key& key) const;
  /// Whether the stored model decides launches of this range.
  [[nodiscard]] bool counts(const StoredModel& model, const NdRange& range) const;
  /// Corrects the stored model by the sample. False: is_cold().
  bool compare(const Sample& sample);
  /// Counts the launch. True if nothing is to be learnt of it: one of a process's first takes longer than the stored
  /// model says, by so little that caches and pages which were not touched yet explain it.
  bool is_cold(const Key& key, const TimePrediction& expected, double seconds) SKMD_REQUIRES(mutex_);
  [[nodiscard]] bool own_is_enough(const DeviceModel& own, const Key& key, const NdRange& range) const;
  [[nodiscard]] DeviceModel corrected(DeviceModel stored, const Key& key, const NdRange& range) const;

  MeasuredRates rates_;
  const Seconds now_;
  const StoredTrust trust_;
  std::atomic<bool> any_stored_{false};
  std::atomic<bool> any_cold_{false};  // so that most launches take no lock for it
  mutable Mutex mutex_{LockRank::known_times};
  std::map<Key, std::shared_ptr<const StoredModel>> stored_ SKMD_GUARDED_BY(mutex_);
  std::map<Key, std::uint32_t> launches_ SKMD_GUARDED_BY(mutex_);  // the first ones, of kernels with a stored model
  std::set<std::uint64_t> cold_ SKMD_GUARDED_BY(mutex_);  // kernels of which a sample counted for nothing just now
  Corrections corrections_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::domain
