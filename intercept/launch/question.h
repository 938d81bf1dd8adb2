// SPDX-License-Identifier: Apache-2.0
// What the partitioner is asked about one launch.
#pragma once

#include <optional>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// Seconds that joining the results of a split launch is expected to cost, beside moving their bytes. Worked out once
/// for a shape.
double expected_joining_seconds(const Machine& machine, const Launch& launch, const LaunchView& view);

/// Keeps references to its arguments. Reads residency and the model; not thread-safe.
class Question {
 public:
  Question(Machine& machine, const Launch& launch, const LaunchView& view);
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  [[nodiscard]] domain::PartitionRequest& request() { return request_; }
  /// Treats the program as built for these devices.
  void admit(const std::vector<std::uint32_t>& devices);
  /// Footprints of slices were asked for.
  [[nodiscard]] bool has_searched() const { return searched_; }

 private:
  void set_bytes();
  void count_as_the_paper(const Launch& launch);
  const SpanFootprint& touched_by(const domain::GroupSpan& span);

  Machine& machine_;
  const LaunchView& view_;
  std::vector<domain::DeviceModel> models_;
  domain::PaperCosts paper_;
  domain::PartitionRequest request_;
  SharedFootprint touched_;
  // Per device: asked for several times, and residency has pieces.
  std::vector<std::optional<domain::Moving>> whole_to_;
  bool searched_ = false;
};

}  // namespace skmd::icd
