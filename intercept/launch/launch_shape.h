// SPDX-License-Identifier: Apache-2.0
// Everything about a launch that follows from its geometry, scalars and views alone - not from which buffers they are
// or where their bytes lie. Applications repeat launches a thousand times: a shape is worked out once and remembered
// with the kernel.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/eligibility.h"
#include "intercept/launch/made_once.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/base/mutex.h"
#include "partitioner/footprint/footprint.h"
#include "partitioner/merge/merge.h"
#include "partitioner/model/round_times.h"
#include "partitioner/model/terms.h"
#include "partitioner/plan/partition.h"
#include "partitioner/plan/planning_budget.h"
#include "partitioner/residency/residency.h"

namespace skmd::icd {

class LaunchShape {
 public:
  /// The remembered shape of `launch`, or a new one. `views` and `root_bytes`: its roots in order of appearance.
  static std::shared_ptr<LaunchShape> of(Machine& machine, const Launch& launch,
                                         const std::vector<domain::RootView>& views,
                                         const std::vector<std::uint64_t>& root_bytes);

  [[nodiscard]] const Eligibility& eligible() const { return eligible_; }
  /// The reason that keeps this launch whole, independent of residency, or none.
  [[nodiscard]] std::optional<domain::NotSplit> confined() const { return confined_; }
  /// Footprint of the whole launch.
  [[nodiscard]] const SharedFootprint& whole() const { return whole_; }
  /// The footprint of `span`; recent ones are remembered. Thread-safe.
  SharedFootprint footprint(const domain::GroupSpan& span);
  /// What the groups of `span` touch by atomics and otherwise, per root. Not remembered.
  [[nodiscard]] std::vector<domain::AtomicFootprint> atomics(const domain::GroupSpan& span) const;
  /// Seconds: the result of the first call of `estimate`. Thread-safe.
  double joining_seconds(const std::function<double()>& estimate);
  /// point_of_launch() of launches of this shape, worked out when it is first asked for. Thread-safe.
  const domain::Point& point(const Launch& launch);
  /// The last decision, if there was one; `basis`, if given, is set to what it rested on.
  [[nodiscard]] std::shared_ptr<const Decision> decision(DecisionBasis* basis);
  void remember(std::shared_ptr<const Decision> decision, const DecisionBasis& basis);
  /// Equal for the shapes of launches that are alike but for the devices that have their program.
  [[nodiscard]] std::uint64_t id() const { return id_; }
  /// Another plan that is to be followed instead of `decision` (RoundTimes::instead_of). Thread-safe, like what
  /// follows.
  [[nodiscard]] std::optional<domain::RoundTimes::Devices> instead_of(
      const Decision& decision, std::span<const domain::RoundTimes::Candidate> candidates = {});
  /// The last decision for these devices, except those that explore; null: there was none.
  [[nodiscard]] std::shared_ptr<const Decision> followed(domain::RoundTimes::Devices devices);
  /// `changes`: how many times a device was found to have become faster or slower. When it has changed, the times of
  /// earlier rounds are dropped.
  void devices_changed(unsigned changes);
  /// A launch under `decision` ended at `ns`, nanoseconds of the host's clock; 0: its end is not known.
  void round_ended(const Decision& decision, std::uint64_t ns);
  /// The decision for all launches of the shape, which lives as long as the shape: null until there is one. The first
  /// that is kept stays, and is returned.
  [[nodiscard]] std::shared_ptr<const Decision> standing() const;
  std::shared_ptr<const Decision> keep_standing(std::shared_ptr<const Decision> decision);
  /// Seconds that looking at rates and residency takes, and evaluating the footprints of a split's plan: estimates by
  /// the number of ranges, so that a pause of the machine is not taken for a cost.
  [[nodiscard]] double checking_seconds() const { return checking_seconds_; }
  [[nodiscard]] double planning_seconds() const { return planning_seconds_; }
  /// The budget of planning: a launch for which `seconds` are predicted comes, and looking at rates and residency would
  /// cost `look`. True: it may be done, and is counted. Thread-safe, like what follows.
  [[nodiscard]] bool may_look(double seconds, double look);
  /// Calls of may_look() since the last remember().
  [[nodiscard]] std::uint64_t launches_followed();
  [[nodiscard]] bool affords(double seconds);
  [[nodiscard]] bool affords_first(double seconds, double launch);
  void spend(double seconds);
  /// Called once for each launch, which is predicted to take `seconds` (0: not known): whether its times are worth
  /// having for the model. True for the first few, then now and then, the more rarely the shorter the launch.
  bool due_for_times(double seconds);
  /// Whether one more launch may wait for the times of those before it: a few may, since some devices tell no times.
  bool may_wait_for_times();
  /// Whether launches of this shape have not asked so before. Marks it. Thread-safe.
  bool first_use(std::uint32_t device, bool with_offset);

 private:
  friend class ShapeMemo;
  LaunchShape(Machine& machine, const Launch& launch, const std::vector<domain::RootView>& views,
              const std::vector<std::uint64_t>& root_bytes);
  /// What `span` touches, image rows rounded; then with the launch's gaps closed, and what follows from it.
  [[nodiscard]] std::vector<domain::RootFootprint> roots_of(const domain::GroupSpan& span) const;
  [[nodiscard]] SharedFootprint footprint_of(std::vector<domain::RootFootprint> roots) const;
  /// Takes over what launches of `before` told: the shape of the same launches before one more device had the program.
  /// Precondition: no other thread has this shape yet.
  void inherit(LaunchShape& before) SKMD_NOT_ANALYSED;  // no other thread has this one yet
  void add_unanalysed(std::vector<domain::RootFootprint>& roots) const;
  void find_open(const Launch& launch);
  void add_open(std::vector<domain::RootFootprint>& roots) const;
  /// A merge function would have to look before an argument's own address.
  [[nodiscard]] bool reaches_back() const;
  void round_images(std::vector<domain::RootFootprint>& roots) const;
  void copy_arguments(const Launch& launch);
  void estimate_planning();

  /// An argument without its objects.
  struct Argument {
    std::vector<std::byte> value;
    bool bytes_in_root = false;  // a buffer or an image
    std::uint64_t bytes = 0;     // that it reaches
    std::uint64_t before = 0;    // of them
  };
  // A shape lives no longer than its kernel, which remembers it; launches hold the kernel.
  const BuiltKernel& kernel_;
  std::uint64_t id_ = 0;
  domain::NdRange range_;
  std::vector<domain::RootView> views_;  // of all that an argument reaches
  std::size_t roots_;
  std::vector<std::uint64_t> root_bytes_;
  std::vector<bool> open_;           // per root: any byte may be touched, by pointers in memory; empty: there is none
  std::vector<std::uint64_t> rows_;  // per root: bytes of a row of an image, 0 of a buffer
  std::vector<domain::RangeSet> gaps_;  // per root: gaps between rows that slices close (row_gaps.h)
  std::vector<Argument> arguments_;
  std::vector<domain::ArgumentView> argument_views_;
  Eligibility eligible_;
  std::optional<domain::NotSplit> confined_;
  SharedFootprint whole_;
  std::atomic<std::uint32_t> launches_{0};
  std::atomic<std::uint32_t> waits_{0};
  std::array<std::atomic<std::uint64_t>, 2> used_{};  // without and with an offset: a bit per device
  Mutex mutex_;
  std::vector<std::pair<domain::GroupSpan, SharedFootprint>> recent_ SKMD_GUARDED_BY(mutex_);
  std::size_t oldest_ SKMD_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const Decision> decision_ SKMD_GUARDED_BY(mutex_);
  DecisionBasis basis_ SKMD_GUARDED_BY(mutex_);
  std::uint64_t launches_followed_ SKMD_GUARDED_BY(mutex_) = 0;
  domain::RoundTimes rounds_ SKMD_GUARDED_BY(mutex_);
  // Which of all launches that ended was the last one of the shape.
  std::uint64_t last_launch_ SKMD_GUARDED_BY(mutex_) = 0;
  std::atomic<unsigned> changes_{0};  // of devices, before rounds_ began
  // The last one of each plan.
  std::map<domain::RoundTimes::Devices, std::shared_ptr<const Decision>> followed_ SKMD_GUARDED_BY(mutex_);
  domain::RoundTimes::Devices last_devices_ SKMD_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint32_t> rounds_wanted_{0};     // launches whose ends are to be known
  std::atomic<const Decision*> standing_{nullptr};  // decision_, once it is to stay
  std::optional<double> joining_seconds_ SKMD_GUARDED_BY(mutex_);
  MadeOnce<domain::Point> point_;
  // Of the constructor.
  double checking_seconds_ = 0.0;
  double planning_seconds_ = 0.0;
  domain::PlanningBudget budget_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::icd
