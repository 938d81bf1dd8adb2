// SPDX-License-Identifier: Apache-2.0
// Launches that did not complete: their remaining groups run on other devices, as long as what they read exists.
#pragma once

#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

/// Groups of a launch may run in any order, so those without results run after the others' results are in place, one
/// span after another. No copies are kept for this: inputs that a failed run has overwritten are gone.
class Rescue {
 public:
  /// `has_turn`: the caller holds DeviceMemory::turn(), and what is in use on a device may be waited for. `running`: of
  /// the launch, where it can be controlled.
  Rescue(Machine& machine, const Launch& launch, const LaunchView& view, Event& event, bool has_turn,
         RunningLaunch* running)
      : machine_(machine), launch_(launch), view_(view), event_(event), has_turn_(has_turn), running_(running) {}

  /// Blocks. `failure`: why the launch did not complete; that error or a newer one is returned if no device can run the
  /// rest.
  Status run(Unfinished rest, Status failure);
  /// Of the spans that were rescued.
  [[nodiscard]] const std::vector<SliceReport>& reports() const { return reports_; }
  [[nodiscard]] domain::NotSplit reason() const { return reason_; }
  /// As Conductor has it.
  [[nodiscard]] const std::optional<domain::Error>& trapped() const { return trapped_; }

 private:
  [[nodiscard]] std::vector<std::uint32_t> candidates(const Unfinished& rest) const;
  /// Where a driver found out only at work that there is no room, some is made if it can be.
  void make_room(Unfinished& rest) const;
  void tell(const Unfinished& rest, std::uint32_t device, const Status& failure);
  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  Event& event_;
  const bool has_turn_;
  RunningLaunch* const running_;
  std::vector<SliceReport> reports_;
  domain::NotSplit reason_ = domain::NotSplit::one_device_eligible;
  std::optional<domain::Error> trapped_;
};

}  // namespace skmd::icd
