// SPDX-License-Identifier: Apache-2.0
// Watches the slices of a launch while they run, and stops them where one takes much longer than was planned and
// another device could help (partitioner/plan/rebalance.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "intercept/observe/observer.h"
#include "partitioner/plan/partition.h"
#include "partitioner/plan/rebalance.h"

namespace skmd::icd {

/// What a launch that was stopped to be divided anew is known by.
struct DividedAnew {
  unsigned times = 0;                     // that it was
  std::vector<double> groups_per_second;  // of each device, as it ran groups of this launch; 0: it did not
};

/// Of one Conductor's slices. Only launches have one that are long on some device where they can be stopped: others
/// cost nothing. watch() and begin() are called by one thread before the slices are submitted, what follows by any.
class Rebalancing {
 public:
  /// Null where the launch is not to be divided anew in any case: not in this mode, its groups are bound to their
  /// devices, its bytes move for the launches after it, it was often enough, or no other device could help.
  static std::unique_ptr<Rebalancing> of(Machine& machine, const Launch& launch, const LaunchView& view,
                                         const Decision& decision, const DividedAnew& before);
  ~Rebalancing();
  Rebalancing(const Rebalancing&) = delete;
  Rebalancing& operator=(const Rebalancing&) = delete;

  /// The slice of that index can be stopped by `token`.
  void watch(std::size_t index, std::shared_ptr<StopToken> token, StopForm form);
  /// The slices are submitted next.
  void begin();

  /// For StopToken: whether the slices are to end now. Looks at them from time to time. Neither blocks nor allocates.
  [[nodiscard]] bool wanted() noexcept;
  /// Looks at them now.
  void look() noexcept;
  /// All groups of a slice have run, or those that run before it stops. `report`: of them; `first_use`: its times may
  /// include a compilation.
  void ended(std::size_t index, const SliceReport& report, bool first_use) noexcept;
  /// A slice has failed: the launch is not divided anew.
  void give_up() noexcept { begun_.store(false, std::memory_order_release); }

  /// The slices were asked to end.
  [[nodiscard]] bool asked() const { return asked_.load(std::memory_order_acquire); }
  /// What the launch is known by from now on. When all slices have ended.
  [[nodiscard]] DividedAnew outcome() const;

 private:
  /// A device's part.
  struct Part {
    domain::RunningPart known;          // what does not change while it runs
    std::shared_ptr<StopToken> token;   // null: it cannot be stopped, or has no slice
    bool is_long = false;               // its slice is one of Machine::long_slices
    std::atomic<bool> ended{false};     // or it had no slice
    std::atomic<double> own_rate{0.0};  // groups per second that it ran of this launch, when it has ended
  };
  Rebalancing(Machine& machine, const Decision& decision, const DividedAnew& before);
  /// The devices that may help, and what their help costs.
  void expect(const Launch& launch, const LaunchView& view);
  void take_off(const LaunchView& view, std::span<const domain::DeviceModel> models);
  [[nodiscard]] bool may_help() const;
  [[nodiscard]] domain::RunningPart now(std::uint32_t device, std::uint64_t time) const;
  [[nodiscard]] bool is_worth_it(std::uint64_t time) noexcept;

  Machine& machine_;
  const Decision& decision_;
  const DividedAnew before_;
  domain::RebalanceRule rule_;
  std::vector<Part> parts_;                // per device
  std::vector<domain::RunningPart> seen_;  // the same at the last look; used by one thread at a time
  std::uint64_t begin_ = 0;                // host clock, nanoseconds; 0: not yet
  std::atomic<bool> begun_{false}, asked_{false};
  std::atomic<std::uint64_t> next_look_{0};
  std::atomic<std::uint32_t> waiting_{0};  // looks that were called for; the first caller carries them out
};

}  // namespace skmd::icd
