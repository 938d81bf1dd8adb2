// SPDX-License-Identifier: Apache-2.0
// A model of time for one kernel on one device, fitted to samples of former processes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partitioner/model/profile_sample.h"
#include "partitioner/model/time_model.h"
#include "partitioner/plan/partition.h"

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
  double slower = 1.0;       // expected time on this device, as a multiple of that on the measured one
  double added_error = 0.0;  // relative, for differences between the two devices
  bool decides = true;       // plans go by it; else only trials of whole launches do
};

/// Fits to the samples measured nearest to `device`: on it, by another version of its driver, with another number of
/// compute units; here, imported, shipped. If there are few of these, to more distant ones, with an added error for the
/// differences. Samples of other platforms and names, and first uses, are left out. Empty if none is left. Takes
/// milliseconds.
std::optional<StoredModel> fit_stored(const std::vector<StoredSample>& samples, const DeviceKey& device,
                                      const Bounds& bounds);

/// True if the model may decide launches of some length: is_sure() without its condition on the launch.
bool may_be_sure(const StoredModel& model);

/// True if the model may decide launches of so many groups until this process has measured them: it rests on two
/// samples or more of this make of device, one of them of a span that is not much shorter than the launch, and was not
/// shipped.
bool is_sure(const StoredModel& model, double launch_groups);

/// The predicted time of `point`, whose `seconds` are ignored. Empty if the model gives no finite time above 0.
std::optional<TimePrediction> predict(const StoredModel& model, const Point& point);

/// The model as a rate and a fixed cost: the line through the predictions for the whole launch and for a quarter of it.
/// `launch`: the whole launch in one box. Fields that no model predicts are copied from `constants`. Empty as above.
std::optional<DeviceModel> device_model(const StoredModel& model, const Point& launch, const DeviceModel& constants);

}  // namespace skmd::domain
