// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/preemption.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "intercept/launch/launch_shape.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/running_constants.h"
#include "intercept/launch/trap_use.h"
#include "intercept/machine/device_query.h"
#include "intercept/machine/running_launches.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {
namespace {

/// Between groups.
StopForm form_on(const PreemptSettings& settings, const Device& device) {
  const StopForm best = device.description().stops;
  if (settings.mode == PreemptMode::group) return best == StopForm::cut ? StopForm::none : best;
  return settings.mode == PreemptMode::cut ? std::min(best, StopForm::cut) : best;
}

/// Groups wait for each other, or may: a part of them alone would never end. Fences alone make no group wait.
bool groups_wait(const Launch& launch) { return (launch.kernel->traits().facts & domain::kFactSpinning) != 0; }

/// Code with yield points is another compilation: it has variables of the program of its own, and may round otherwise.
bool may_stop_inside(const Machine& machine, const Launch& launch, std::uint32_t device) {
  const PreemptMode mode = machine.settings.preempt.mode;
  if (!machine.devices[device]->description().stops_inside || mode == PreemptMode::cut || mode == PreemptMode::group)
    return false;
  const std::uint32_t facts = launch.kernel->traits().facts;
  if ((facts & domain::kFactMutableProgramScope) != 0) return false;
  return (facts & domain::kFactFloatDecidesAddress) == 0 || machine.settings.split_mixed;
}

/// Whether a work-group alone takes longer than a device is to be held.
bool has_long_groups(const Machine& machine, const Launch& launch, const LaunchView& view, std::uint32_t device) {
  // Each unit runs a group of its own.
  const double units = query<cl_uint>(*machine.devices[device], CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1);
  return view.shape().paces().group_seconds(device, launch.range) * units > machine.settings.preempt.seconds / 2;
}

/// No command can come while the launch runs, and nothing asks launches to leave: giving way would only cost. A part of
/// a launch can still be wanted elsewhere.
bool is_alone(const Machine& machine) {
  return machine.command_streams.load(std::memory_order_relaxed) == 1 && machine.running == nullptr;
}

/// Images of devices in host memory are copied around every launch.
bool copies_images(const Machine& machine, const LaunchView& view, std::uint32_t device) {
  return space_of(machine, device) == domain::kHostSpace &&
         std::any_of(view.roots().begin(), view.roots().end(), [](const auto& root) { return root->is_image(); });
}

/// A vendor's CPU driver compiles a kernel again when it is first launched with an offset, which only launches that are
/// known to be long are worth.
bool recompiles_for_pieces(const DeviceDescription& device) {
  return device.kind == DeviceKind::cpu && device.stops == StopForm::cut;
}

bool is_brief(const Machine& machine, const Launch& launch, const LaunchView& view, std::uint32_t device,
              const domain::GroupSpan& span) {
  const double group = view.shape().paces().group_seconds(device, launch.range);
  if (group > 0) return group * static_cast<double>(span.size()) < machine.settings.preempt.seconds;
  return recompiles_for_pieces(machine.devices[device]->description()) ||
         !view.shape().paces().may_try(device, launch.range);
}

/// Work-groups that fill the device: a piece of fewer would take about as long.
std::uint64_t filling(const Device& device, const domain::NdRange& range) {
  const std::uint64_t units = std::max(1u, query<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1));
  const std::uint64_t items = range.local[0] * range.local[1] * range.local[2];
  const std::uint64_t groups = device.description().kind == DeviceKind::cpu ? 1 : tuning::kItemsPerUnit / items;
  return units * std::max<std::uint64_t>(1, groups);
}

/// least_piece() of a slice that can be stopped in that form.
std::uint64_t least_groups(const Machine& machine, const Launch& launch, std::uint32_t device, StopForm form) {
  return form == StopForm::cut ? least_piece(machine, launch, device) : 1;
}

}  // namespace

std::optional<YieldInfo> yields_of(const Machine& machine, const Launch& launch, std::uint32_t device,
                                   NativeKernel& kernel, bool wait) {
  return machine.devices[device]->yields(kernel, yield_needs(launch), wait);
}

Stoppable stoppable(const Machine& machine, const Launch& launch, const LaunchView& view, std::uint32_t device,
                    const domain::GroupSpan& span) {
  const PreemptSettings& settings = machine.settings.preempt;
  // What may be left over is not known before it ends, as of a launch that gives way.
  if (machine.settings.check == CheckMode::deopt && view.shape().trap_use(machine, launch, device).leaves)
    return {StopForm::item};
  if (settings.mode == PreemptMode::off) return {};
  if (launch.kernel->opaque()) return {StopForm::none, NotPreempted::opaque_program};
  StopForm form = form_on(settings, *machine.devices[device]);
  const bool inside = may_stop_inside(machine, launch, device);
  if (form == StopForm::none || launch.part != nullptr || copies_images(machine, view, device))
    return {StopForm::none, groups_wait(launch) ? NotPreempted::groups_wait : NotPreempted::no_form_here};
  if (groups_wait(launch)) {
    if (inside) return {StopForm::item};
    return {StopForm::none, NotPreempted::groups_wait};
  }
  if (!settings.test && is_brief(machine, launch, view, device, span)) return {StopForm::none, NotPreempted::brief};
  const Paces& paces = view.shape().paces();
  const bool unneeded =
      settings.mode == PreemptMode::automatic && !settings.test && form == StopForm::cut && is_alone(machine);
  if (unneeded && span.size() == launch.range.group_total()) return {StopForm::none, NotPreempted::no_form_here};
  // Code with yield points takes longer on such devices, and its compilation makes their launches wait: more than a
  // part is worth that would be wanted elsewhere only if the device were suddenly slower.
  const bool spared = unneeded && paces.steady(device, launch.range);
  const bool longer = inside && !settings.test && !spared && has_long_groups(machine, launch, view, device);
  const bool costly = longer && paces.costs_too_much(device, launch.range);
  if ((inside && settings.mode == PreemptMode::item) || (longer && !costly)) return {StopForm::item};
  const auto why_not = costly ? std::optional(NotPreempted::costs_too_much) : std::nullopt;
  if (costly && span.size() < 2) return {StopForm::none, why_not};
  if (span.size() < 2 * least_groups(machine, launch, device, form))
    return {StopForm::none, NotPreempted::no_form_here};
  return {form, why_not};
}

Result<Stoppable> settled(const Machine& machine, const Launch& launch, std::uint32_t device,
                          const domain::GroupSpan& span, NativeKernel& kernel, const SavedGroups* saved, bool joins) {
  const bool wait = saved != nullptr || machine.settings.preempt.mode == PreemptMode::item || groups_wait(launch);
  const auto info = joins ? std::nullopt : yields_of(machine, launch, device, kernel, wait);
  if (info && (saved == nullptr || saved->fit(info->schema)))
    return Stoppable{StopForm::item, {}, info->points, info->together};
  if (saved != nullptr)
    return domain::Error{CL_OUT_OF_RESOURCES, "kernel " + launch.kernel->traits().name + ": groups that were stopped " +
                                                  "inside cannot go on on " +
                                                  machine.devices[device]->description().name};
  if (groups_wait(launch)) return Stoppable{StopForm::none, NotPreempted::groups_wait};
  const StopForm form = form_on(machine.settings.preempt, *machine.devices[device]);
  if (form == StopForm::none || span.size() < 2 * least_groups(machine, launch, device, form))
    return Stoppable{StopForm::none, NotPreempted::no_form_here};
  return Stoppable{form};
}

std::uint64_t least_piece(const Machine& machine, const Launch& launch, std::uint32_t device) {
  const std::uint64_t least = filling(*machine.devices[device], launch.range);
  if (!machine.settings.preempt.test) return least;
  return std::clamp<std::uint64_t>(launch.range.group_total() / tuning::kTestedPieces, 1, least);
}

bool wants_pace(const Machine& machine, const Launch& launch, const LaunchView& view, std::uint32_t device) {
  return machine.settings.preempt.mode != PreemptMode::off &&
         view.shape().paces().group_seconds(device, launch.range) <= 0;
}

bool may_move(const Machine& machine, const Launch& launch, const Eligibility& eligible, std::uint32_t from,
              std::uint32_t to) {
  if (from == to) return true;
  constexpr auto kBound =
      domain::kFactPointerInMemory | domain::kFactDeviceSpecificCode | domain::kFactMutableProgramScope;
  const domain::KernelTraits& traits = launch.kernel->traits();
  if (launch.kernel->opaque() || (traits.facts & kBound) != 0) return false;
  if (to >= eligible.eligible.size() || !eligible.eligible[to] || machine.devices[to]->health()->aside()) return false;
  if ((traits.facts & domain::kFactFloatDecidesAddress) == 0 || machine.settings.split_mixed) return true;
  const DeviceDescription& before = machine.devices[from]->description();
  const DeviceDescription& after = machine.devices[to]->description();
  return before.arithmetic == after.arithmetic && !before.rounds_unlike_itself && !after.rounds_unlike_itself;
}

namespace {

/// Work-items that left their device where they would trap go on where they are checked, as those do that never began.
std::uint32_t checked_device(const Machine& machine, const Launch& launch, const StoppedSpan& stopped) {
  const auto schema = stopped.saved == nullptr ? std::nullopt : stopped.saved->schema();
  if (!schema) return machine.anchor;
  const auto device = takes_left_items(machine, launch, *schema);
  return device ? *device : machine.anchor;
}

}  // namespace

bool may_go_on(const Machine& machine, const Launch& launch, const Eligibility& eligible, const StoppedSpan& stopped,
               std::uint32_t to, bool wait) {
  if (stopped.has_failed_on(to)) return false;
  if (stopped.device == to) return true;
  if (!may_move(machine, launch, eligible, stopped.device, to)) return false;
  if (stopped.saved == nullptr) return true;
  const auto call = native_call(machine, launch, to);
  if (!call) return false;
  const auto info = yields_of(machine, launch, to, *call->kernel, wait);
  return info && stopped.saved->fit(info->schema);
}

namespace {

/// The fastest device that the rest may move to, or where it is.
std::uint32_t instead_of(const Machine& machine, const Launch& launch, const LaunchView& view,
                         const Eligibility& eligible, const StoppedSpan& stopped) {
  std::uint32_t best = stopped.device;
  double least = 0;
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device) {
    if (device == stopped.device || is_stopped(machine, device) ||
        !may_go_on(machine, launch, eligible, stopped, device))
      continue;
    const double seconds = view.shape().paces().group_seconds(device, launch.range);  // 0: not known
    if (best == stopped.device || (seconds > 0 && (least <= 0 || seconds < least))) best = device, least = seconds;
  }
  return best;
}

}  // namespace

Eligibility eligible_for_rest(const Machine& machine, const Launch& launch, const LaunchView& view) {
  const bool changed = machine.running != nullptr && machine.running->restarted() != 0;
  return once_built(machine, launch, changed ? eligibility(machine, launch) : view.shape().eligible());
}

std::uint32_t next_device(const Machine& machine, const Launch& launch, const LaunchView& view,
                          const StoppedSpan& stopped, std::optional<std::uint32_t> target) {
  if (machine.settings.check == CheckMode::deopt) return checked_device(machine, launch, stopped);
  const auto& test = machine.settings.preempt.test;
  const bool tests = test && test->then != PreemptTest::Then::stay;
  const bool must_leave = is_stopped(machine, stopped.device) || stopped.has_failed_on(stopped.device);
  if (!target && !tests && !must_leave) return stopped.device;
  const Eligibility eligible = eligible_for_rest(machine, launch, view);
  if (target && !is_stopped(machine, *target) && may_go_on(machine, launch, eligible, stopped, *target)) return *target;
  if (must_leave) return instead_of(machine, launch, view, eligible, stopped);
  if (!tests) return stopped.device;
  std::vector<std::uint32_t> choice;
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device) {
    const bool wanted = test->then == PreemptTest::Then::device ? device == test->device : device != stopped.device;
    if (wanted && may_go_on(machine, launch, eligible, stopped, device)) choice.push_back(device);
  }
  return choice.empty() ? stopped.device : choice[test_random(*test) % choice.size()];
}

std::uint64_t test_random(const PreemptTest& test) {
  static std::atomic<std::uint64_t> drawn{0};
  std::uint64_t value = (test.seed + 1) * 0x9E3779B97F4A7C15u + drawn.fetch_add(1, std::memory_order_relaxed);
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

}  // namespace skmd::icd
