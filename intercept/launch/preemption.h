// SPDX-License-Identifier: Apache-2.0
// Whether a slice of a launch gives way to others while it runs, how, and where the rest of a stopped one may go on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/eligibility.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "intercept/observe/observer.h"

namespace skmd::icd {

/// How a slice can be stopped. A `form` of StopForm::none has a reason, but where SKMD_PREEMPT is `off`.
struct Stoppable {
  StopForm form = StopForm::none;
  std::optional<NotPreempted> why_not = {};
  std::uint32_t points = 0;  // of StopForm::item, as is the next
  bool together = false;     // all items of a group leave at one point
};

/// Device::yields() of the launch on a device, where its kernel is `kernel`.
std::optional<YieldInfo> yields_of(const Machine& machine, const Launch& launch, std::uint32_t device,
                                   NativeKernel& kernel, bool wait);

/// Work-groups of a launch may run in any order and in any number of native launches, as long as none waits for
/// another: the kernel's facts decide that as they do for splits. Takes no lock. Thread-safe.
Stoppable stoppable(const Machine& machine, const Launch& launch, const LaunchView& view, std::uint32_t device,
                    const domain::GroupSpan& span);

/// What becomes of `how`, a form that stops inside of groups, on machine.devices[device] with its `kernel`: without
/// code for it the next best, or an error if groups of `saved` (null: there are none) cannot go on there. `joins`:
/// results of the slice are merged with others, which groups that have begun have no part in. May block while code is
/// made.
Result<Stoppable> settled(const Machine& machine, const Launch& launch, std::uint32_t device,
                          const domain::GroupSpan& span, NativeKernel& kernel, const SavedGroups* saved, bool joins);

/// Work-groups of a piece of the launch on machine.devices[device], at least: as many as fill the device, since fewer
/// would take about as long. With SKMD_TEST_PREEMPT a part of the launch where that is less.
std::uint64_t least_piece(const Machine& machine, const Launch& launch, std::uint32_t device);

/// Whether the device's next launch is to be timed so that it becomes known whether such launches are long.
bool wants_pace(const Machine& machine, const Launch& launch, const LaunchView& view, std::uint32_t device);

/// Groups that have not run, of a slice that was stopped on `device`.
struct StoppedSpan {
  domain::GroupSpan span;
  std::uint32_t device = 0;
  /// Of its first groups: what those go on from that have begun. Null: none has.
  std::shared_ptr<SavedGroups> saved = {};
  domain::GroupSpan begun = {};  // these groups
  std::uint64_t failed_on = 0;   // bit d: uploads for them to device d failed

  [[nodiscard]] bool has_failed_on(std::uint32_t d) const { return (failed_on >> d & 1) != 0; }
};

/// Whether the rest of a launch that ran in part on `from` may go on on `to`: the kernel keeps nothing on its device,
/// floating point that decides addresses rounds alike, and the launch is `eligible` there.
bool may_move(const Machine& machine, const Launch& launch, const Eligibility& eligible, std::uint32_t from,
              std::uint32_t to);

/// The same of a stopped slice, of which groups may have begun: those need code that goes on from what was saved.
/// False if uploads for it to `to` have failed.
/// `wait`: blocks while it is made; otherwise it has to be there.
bool may_go_on(const Machine& machine, const Launch& launch, const Eligibility& eligible, const StoppedSpan& stopped,
               std::uint32_t to, bool wait = true);

/// Which devices may take what is left of a launch: also those that were started again since it was frozen. Waits for
/// builds.
Eligibility eligible_for_rest(const Machine& machine, const Launch& launch, const LaunchView& view);

/// Where a stopped slice goes on, if it may move there: on `target`, or the device that SKMD_TEST_PREEMPT names. Else
/// where it was or, if that device was stopped or uploads to it failed, on the fastest of the others that it may
/// move to; where there is none, it stays all the same. May wait for a device's build.
std::uint32_t next_device(const Machine& machine, const Launch& launch, const LaunchView& view,
                          const StoppedSpan& stopped, std::optional<std::uint32_t> target);

/// A random number for tests of stops: each call another one, the same ones in each process of one seed and order of
/// launches. Thread-safe.
std::uint64_t test_random(const PreemptTest& test);

}  // namespace skmd::icd
