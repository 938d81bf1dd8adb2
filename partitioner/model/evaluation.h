// SPDX-License-Identifier: Apache-2.0
// Accuracy of models on samples that they were not fitted to: SKMD (TOCS 2015), section 4.3 and Table III. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "partitioner/model/profile_sample.h"
#include "partitioner/model/time_model.h"

namespace skmd::domain {

/// The sample as input of a model. `parameters`: the buffers' bytes, the scalars, the NDRange's extents.
Point point_of(const ProfileSample& sample);

/// Samples of one kernel on one device.
struct SampleGroup {
  KernelKey kernel;
  DeviceKey device;
  std::vector<const ProfileSample*> samples;  // in the order given, into what was given
};

/// In the order of kernels, then devices. First uses, which may hold a compilation, are left out.
std::vector<SampleGroup> grouped(std::span<const ProfileSample> samples);

/// Relative errors are fractions: |predicted - measured| / measured.
struct Accuracy {
  std::size_t points = 0;  // tested
  double median = 0.0;
  double p90 = 0.0;
  double coverage80 = 0.0;  // part of the points inside the band
};

/// A span that was tested.
struct TestedSpan {
  std::uint64_t groups = 0, launch_groups = 0;
  double measured = 0.0;  // seconds
  TimePrediction predicted;
};

struct KernelScore {
  KernelKey kernel;
  DeviceKey device;
  std::size_t train = 0;
  Accuracy accuracy;        // of the model with few terms
  double l2_seconds = 0.0;  // Euclidean norm of its errors over all tested points
  double paper_median = 0.0, rate_median = 0.0;
  std::vector<TestedSpan> spans;  // in the order given
};

struct DeviceScore {
  DeviceKey device;
  Accuracy accuracy;  // over all points of all kernels
};

struct Evaluation {
  std::vector<DeviceScore> devices;
  std::vector<KernelScore> kernels;  // those with samples on both sides
};

struct EvaluationOptions {
  double least_part = 0.01;                        // of a launch's groups: shorter spans are not tested
  std::function<Bounds(const DeviceKey&)> bounds;  // none: not calibrated
};

Evaluation evaluate(std::span<const ProfileSample> train, std::span<const ProfileSample> test,
                    const EvaluationOptions& options = {});

}  // namespace skmd::domain
