// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/trap_use.h"

#include <algorithm>
#include <vector>

#include "intercept/launch/eligibility.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/native_launch.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "partitioner/footprint/inside.h"

namespace skmd::icd {
namespace {

bool is_checked(const Device& device) { return device.description().backend == "cpu-driver"; }

// What the proof asks of an argument, but for images, whose samplers say what is outside.
std::vector<domain::ArgumentView> buffers_of(const Launch& launch) {
  std::vector<domain::ArgumentView> views(launch.arguments.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    if (const auto* view = std::get_if<BufferView>(&argument)) views[i] = {true, view->size, {}, 0};
    if (const auto* local = std::get_if<LocalBytes>(&argument)) views[i].bytes = local->bytes;
    if (std::holds_alternative<NullPointer>(argument)) views[i].is_buffer = true;
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) views[i].value = *value;
  }
  return views;
}

bool cannot_trap(const Launch& launch) {
  constexpr auto kUnknown = domain::kFactPointerInMemory | domain::kFactDeviceSpecificCode;
  if (follows_svm_pointers(launch) || (launch.kernel->traits().facts & kUnknown) != 0) return false;
  const bool images = std::any_of(launch.arguments.begin(), launch.arguments.end(),
                                  [](const auto& argument) { return std::holds_alternative<ImageView>(argument); });
  return !images && domain::stays_inside(launch.kernel->traits(), launch.range, buffers_of(launch));
}

std::string obstacle_of(const Launch& launch) {
  const std::uint32_t facts = launch.kernel->traits().facts;
  if ((facts & domain::kFactSpinning) != 0) return "groups_wait: its work-groups may wait for each other";
  if ((facts & domain::kFactMutableProgramScope) != 0) return "no_form_here: it has variables of the program";
  if (follows_svm_pointers(launch)) return "pointer_in_memory: it may follow addresses in shared virtual memory";
  return {};
}

}  // namespace

TrapUse trap_use(const Machine& machine, const Launch& launch, std::uint32_t device) {
  Device& port = *machine.devices[device];
  if (is_checked(port)) return {};
  if (launch.kernel->opaque()) return {false, "opaque_program: what its kernel does is not known"};
  const auto native = launch.kernel->native(device);
  if (!native) return {false, "no_form_here: " + native.error().reason};
  const TrapForm form = port.trap_form(**native, yield_needs(launch));
  if (form.only_buffers && cannot_trap(launch)) return {};
  if (!form.goes_on && (launch.kernel->traps_often() >> device & 1) != 0)
    return {false, "traps_often: work-items left it in launches before"};
  if (std::string obstacle = obstacle_of(launch); !obstacle.empty()) return {false, std::move(obstacle)};
  if (!form.exists) return {false, form.why_not};
  if (!form.why_not.empty()) return {false, form.why_not};
  if (form.goes_on) return {true, {}};
  // Without places to leave at, nothing is to be kept.
  if (form.schema == 0 && form.only_buffers) return {};
  if (const auto other = takes_left_items(machine, launch, form.schema); !other) return {false, other.error().reason};
  return {true, {}};
}

std::string trap_reason(const std::string& why_not) { return why_not.substr(0, why_not.find(':')); }

void report_left(const Machine& machine, const Launch& launch, const LaunchView& view, LeftReport left) {
  if (machine.settings.check != CheckMode::deopt) return;
  for (std::uint32_t device = 0; device < machine.devices.size() && left.why_not.empty(); ++device) {
    if (!launch.kernel->built_on(device)) continue;
    const std::string why_not = view.shape().trap_use(machine, launch, device).why_not;
    if (why_not.empty()) continue;
    left.why_not = trap_reason(why_not);
    machine.observer->log(LogLevel::debug, "launch " + launch.kernel->traits().name + " not on " +
                                               machine.devices[device]->description().name + ": " + why_not);
  }
  if (left.items != 0 || !left.why_not.empty()) machine.observer->left(left);
}

Result<std::uint32_t> takes_left_items(const Machine& machine, const Launch& launch, std::uint64_t schema) {
  std::string reason = "no_form_here: no CPU device has the program";
  const auto try_one = [&](std::uint32_t device) {
    Device& port = *machine.devices[device];
    if (!is_checked(port) || port.health()->aside() || is_stopped(machine, device)) return false;
    launch.kernel->builds().wait(device);
    const auto native = launch.kernel->native(device);
    if (!native) return false;
    const TrapForm form = port.trap_form(**native, yield_needs(launch));
    if (!form.exists) reason = form.why_not;
    if (form.exists && form.schema != schema) reason = "no_form_here: its code on the CPU has other places";
    return form.exists && form.schema == schema;
  };
  if (try_one(machine.anchor)) return machine.anchor;
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device)
    if (device != machine.anchor && try_one(device)) return device;
  return domain::Error{CL_OUT_OF_RESOURCES, reason};
}

}  // namespace skmd::icd
