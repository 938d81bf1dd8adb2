// SPDX-License-Identifier: Apache-2.0
// A launch of one kernel over one NDRange with arguments of certain sizes: what follows from its geometry, scalars and
// views alone, not from which buffers they are or where their bytes lie. Applications repeat launches a thousand times:
// a shape is worked out once and remembered with the kernel, with what such launches share: decisions, budget, rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/decision_memory.h"
#include "intercept/launch/eligibility.h"
#include "intercept/launch/first_uses.h"
#include "intercept/launch/launch_arguments.h"
#include "intercept/launch/launch_budget.h"
#include "intercept/launch/launch_footprints.h"
#include "intercept/launch/launch_rounds.h"
#include "intercept/launch/made_once.h"
#include "intercept/launch/paces.h"
#include "intercept/launch/time_sampling.h"
#include "intercept/launch/trap_use.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/base/mutex.h"
#include "partitioner/footprint/roots.h"
#include "partitioner/merge/reduce.h"
#include "partitioner/model/group_work.h"
#include "partitioner/model/terms.h"

namespace skmd::icd {

/// Thread-safe. Lives no longer than its kernel, which remembers it; launches hold the kernel.
class LaunchShape {
 public:
  /// The remembered shape of `launch`, or a new one. `views` and `root_bytes`: its roots in order of appearance.
  static std::shared_ptr<LaunchShape> of(Machine& machine, const Launch& launch,
                                         const std::vector<domain::RootView>& views,
                                         const std::vector<std::uint64_t>& root_bytes);

  /// Equal for the shapes of launches that are alike but for the devices that have their program.
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const Eligibility& eligible() const { return eligible_; }
  /// The reason that keeps this launch whole, independent of residency, or none.
  [[nodiscard]] std::optional<domain::NotSplit> confined() const { return confined_; }
  [[nodiscard]] const PlanningCosts& planning_costs() const { return costs_; }

  /// Footprint of the whole launch.
  [[nodiscard]] const SharedFootprint& whole() const { return geometry_->footprints.whole(); }
  /// As of LaunchFootprints.
  SharedFootprint footprint(const domain::GroupSpan& span) { return geometry_->footprints.of(span); }
  [[nodiscard]] std::vector<domain::AtomicFootprint> atomics(const domain::GroupSpan& span) const {
    return geometry_->footprints.atomics(span);
  }
  /// work_of_launch(). Cached; computed again if an argument by value differs from the last call's: trip counts may
  /// depend on values that are no part of a shape.
  domain::GroupWork work(const Launch& launch);
  /// point_of_launch() of the first launch of this shape for which it is asked.
  const domain::Point& point(const Launch& launch);
  /// Seconds: the result of the first call of `estimate`, which is called without a lock.
  double joining_seconds(const std::function<double()>& estimate);

  /// trap_use() of launches of this shape, worked out once for each device that is built. Thread-safe.
  TrapUse trap_use(const Machine& machine, const Launch& launch, std::uint32_t device);

  /// What the launches of the shape have in common, and change.
  DecisionMemory& decisions() { return decisions_; }
  LaunchBudget& budget() { return budget_; }
  TimeSampling& sampling() { return sampling_; }
  LaunchRounds& rounds() { return rounds_; }
  FirstUses& first_uses() { return first_uses_; }
  /// All shapes of the kernel have them in common.
  Paces& paces() { return *paces_; }

 private:
  /// What does not depend on devices.
  struct Geometry {
    Geometry(const Launch& launch, const std::vector<domain::RootView>& views,
             const std::vector<std::uint64_t>& root_bytes)
        : arguments(launch, views, root_bytes), footprints(launch, arguments) {}
    const LaunchArguments arguments;
    LaunchFootprints footprints;
  };
  LaunchShape(Machine& machine, const Launch& launch, std::shared_ptr<Geometry> geometry, std::uint64_t id,
              std::shared_ptr<Paces> paces, std::uint64_t stopped);
  /// Takes over what launches of `before` told: the shape of the same launches before one more device had the program.
  /// Precondition: no other thread has this shape yet.
  void inherit(const LaunchShape& before);

  const std::uint64_t id_;
  const std::shared_ptr<Geometry> geometry_;
  const Eligibility eligible_;
  std::optional<domain::NotSplit> confined_;
  const PlanningCosts costs_;
  MadeOnce<domain::Point> point_;
  Mutex mutex_{LockRank::launch_shape};
  std::optional<double> joining_seconds_ SKMD_GUARDED_BY(mutex_);
  std::optional<domain::GroupWork> work_ SKMD_GUARDED_BY(mutex_);
  std::vector<std::byte> work_values_ SKMD_GUARDED_BY(mutex_);  // the launch's arguments by value
  std::vector<std::optional<TrapUse>> trap_uses_ SKMD_GUARDED_BY(mutex_);

  DecisionMemory decisions_;
  LaunchBudget budget_;
  TimeSampling sampling_;
  LaunchRounds rounds_{sampling_};
  FirstUses first_uses_;
  const std::shared_ptr<Paces> paces_;
};

}  // namespace skmd::icd
