// SPDX-License-Identifier: Apache-2.0
// What former processes measured of one kernel on one device, as a model of time. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partitioner/model/profile_sample.h"
#include "partitioner/model/time_model.h"
#include "partitioner/partition.h"

namespace skmd::domain {

/// Where a stored sample was measured.
enum class SampleOrigin : std::uint8_t { here, imported, shipped };

struct StoredSample {
  ProfileSample sample;
  SampleOrigin origin = SampleOrigin::here;
};

struct StoredModel {
  TimeModel model;
  ModelSource source = ModelSource::database;
  std::size_t samples = 0;   // fitted to
  double longest = 0.0;      // groups of the longest span among them
  double slower = 1.0;       // by which the device here is expected to take longer than the one that was measured
  double added_error = 0.0;  // for what differs between the two
};

/// Fits to the samples that were measured nearest to `device`: on it, by another version of its driver, with another
/// number of compute units; here, imported, shipped. Further ones count where the nearer ones are few, with an error
/// for what differs. Samples of other platforms and names, and first uses, are left out. Empty where none is left.
/// Milliseconds.
std::optional<StoredModel> fit_stored(const std::vector<StoredSample>& samples, const DeviceKey& device,
                                      const Bounds& bounds);

/// Of `point`, whose seconds count nothing. Empty where the model gives no finite time above 0.
std::optional<TimePrediction> predict(const StoredModel& model, const Point& point);

/// As a line over the groups of a slice: through the whole launch and a quarter of it. `launch`: the whole launch in
/// one box. Sets what a model says of a device, and leaves the rest as it is in `constants`. Empty as above.
std::optional<DeviceModel> device_model(const StoredModel& model, const Point& launch, const DeviceModel& constants);

}  // namespace skmd::domain
