// SPDX-License-Identifier: Apache-2.0
// What decide() asks of a launch, as the machine answers it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/launch/decide.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/question.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

/// Keeps references to its arguments. Takes nothing in hand before it is asked. Reads residency and the model; not
/// thread-safe.
class LaunchInputs : public DecisionInputs, public DecisionLog {
 public:
  LaunchInputs(Machine& machine, const Launch& launch, const LaunchView& view)
      : machine_(machine), launch_(launch), view_(view) {}

  /// For decide().
  [[nodiscard]] LaunchFacts facts() const;
  /// Treats the program as built for these devices.
  void admit(const std::vector<std::uint32_t>& devices);

  std::uint32_t home() override;
  bool is_gpu(std::uint32_t device) override;
  double groups_per_second(std::uint32_t device) override;
  std::uint64_t missing_bytes(std::uint32_t device) override;
  FarLink far_link(std::uint32_t device) override;
  std::uint32_t read_rhythm() override;
  std::optional<std::uint32_t> behind() override;
  domain::PartitionRequest& request() override { return question().request(); }
  bool affords_first(double seconds, double launch) override;
  SharedFootprint footprint(const domain::GroupSpan& span) override;
  domain::MergeDecision how_to_merge(const std::vector<SliceWork>& slices) override;
  std::shared_ptr<const Dealing> deal(const Decision& decision) override;

  void waits_for_groups(std::uint32_t device) override;
  void begins_to_plan() override;
  /// Counts what planning cost, too.
  void planned(const domain::PartitionRequest& request, const domain::Plan& plan) override;

 private:
  Question& question();

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  std::optional<Question> question_;
  std::chrono::steady_clock::time_point began_;  // to plan
};

}  // namespace skmd::icd
