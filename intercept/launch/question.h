// SPDX-License-Identifier: Apache-2.0
// What the partitioner is asked about one launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/model/round_times.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// Keeps references to its arguments. Reads residency and the model; not thread-safe.
class Question {
 public:
  Question(Machine& machine, const Launch& launch, const LaunchView& view);
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  [[nodiscard]] const domain::PartitionRequest& request() const { return request_; }
  /// Seconds in which the device runs the slice; 0: the device is not measured.
  [[nodiscard]] double running_seconds(const domain::Slice& slice) const;
  /// The launch whole on each device whose time can be predicted; on the first of several of one make.
  [[nodiscard]] std::vector<domain::RoundTimes::Candidate> candidates() const;
  /// Treats the program as built for these devices.
  void admit(const std::vector<std::uint32_t>& devices);
  /// `previous`: the decision for the launch of the shape before; null: there was none. `launches` have followed it.
  domain::Plan plan(const Decision* previous, std::uint64_t launches = 0);

 private:
  void set_bytes();
  void count_as_the_paper(const Launch& launch);
  /// The first launch of a shape, which a process that knows the kernel may plan before it has measured anything.
  void allow_first_search();
  const SpanFootprint& touched_by(const domain::GroupSpan& span);

  Machine& machine_;
  const std::string& kernel_;
  const LaunchView& view_;
  std::vector<domain::DeviceModel> models_;
  domain::PaperCosts paper_;
  domain::PartitionRequest request_;
  SharedFootprint touched_;
  // Per device: asked for several times, and residency has pieces.
  std::vector<std::optional<domain::Moving>> whole_to_;
  bool searched_ = false;  // footprints of slices were asked for
};

}  // namespace skmd::icd
