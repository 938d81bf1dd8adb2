// SPDX-License-Identifier: Apache-2.0
// From a launch to a plan: the reasons that keep it whole, then the partitioner, then the merge ladder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/eligibility.h"
#include "partitioner/base/nd_range.h"
#include "partitioner/merge/merge.h"
#include "partitioner/model/round_times.h"
#include "partitioner/plan/not_split.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// What decide() knows of a launch from the beginning. Keeps references.
struct LaunchFacts {
  const domain::PartitionPolicy& policy;
  const Eligibility& eligible;               // at least one device is
  std::optional<domain::NotSplit> confined;  // the reason that keeps it whole, independent of rates and residency
  std::uint64_t groups = 0;
  std::uint32_t anchor = 0;        // whose answers count where all devices have to agree
  std::uint32_t kernel_facts = 0;  // KernelTraits::facts
  bool opaque = false;             // the kernel's program is opaque
};

/// The decision for the launch of the shape before.
struct FormerDecision {
  std::shared_ptr<const Decision> decision;  // null: there was none
  std::uint64_t launches = 0;                // that have followed it
};

/// What decide() asks about a launch when it has to know it: rates, bytes and footprints, as they are when they are
/// asked for. Not thread-safe.
class DecisionInputs {
 public:
  virtual ~DecisionInputs() = default;
  /// The device on which a kernel lives that keeps something from launch to launch. Blocks until that is known.
  virtual std::uint32_t home() = 0;
  virtual bool is_gpu(std::uint32_t device) = 0;
  /// The rate that plans go by, measured or stored; 0: none.
  virtual double groups_per_second(std::uint32_t device) = 0;
  /// Bytes that the device has to be sent for the whole launch.
  virtual std::uint64_t missing_bytes(std::uint32_t device) = 0;
  virtual FarLink far_link(std::uint32_t device) = 0;
  /// Changes when results are read clearly more or less often than before.
  virtual std::uint32_t read_rhythm() = 0;
  /// PartitionRequest::behind.
  virtual std::optional<std::uint32_t> behind() = 0;
  /// What the partitioner is asked: the same object at every call, made at the first. Its `previous` is null.
  virtual domain::PartitionRequest& request() = 0;
  /// As PlanningBudget::affords_first().
  virtual bool affords_first(double seconds, double launch) = 0;
  virtual SharedFootprint footprint(const domain::GroupSpan& span) = 0;
  virtual domain::MergeDecision how_to_merge(const std::vector<SliceWork>& slices) = 0;
  /// The chunks of a decided split; null: it is not dealt. What cutting costs is counted.
  virtual std::shared_ptr<const Dealing> deal(const Decision& decision) = 0;
};

/// What there is to tell of a decision on its way.
class DecisionLog {
 public:
  virtual ~DecisionLog() = default;
  /// The groups of the launch wait for memory that other groups write: it stays whole on `device`.
  virtual void waits_for_groups(std::uint32_t device) = 0;
  /// Called before and after the partitioner is asked; planned() is where the cost of planning is to be counted.
  virtual void begins_to_plan() = 0;
  virtual void planned(const domain::PartitionRequest& request, const domain::Plan& plan) = 0;
};

/// Decides by its arguments alone: looks nothing up, remembers nothing, and logs nothing but to `log`.
std::shared_ptr<const Decision> decide(const LaunchFacts& launch, const FormerDecision& former, DecisionInputs& inputs,
                                       DecisionLog& log);

/// The partitioner's plan. `request`: inputs.request(). The first launch of a shape, which a process that knows the
/// kernel may plan before it has measured anything, is allowed to search if that is affordable.
domain::Plan planned(domain::PartitionRequest& request, const FormerDecision& former, DecisionInputs& inputs,
                     DecisionLog& log);

/// One span of a launch in one slice, `reason` being why no more.
std::shared_ptr<Decision> one_slice(std::uint32_t device, const domain::GroupSpan& span, SharedFootprint footprint,
                                    domain::NotSplit reason);

/// The launch whole on each device whose time can be predicted; on the first of several of one make.
std::vector<domain::RoundTimes::Candidate> candidates_of(const domain::PartitionRequest& request);

}  // namespace skmd::icd
