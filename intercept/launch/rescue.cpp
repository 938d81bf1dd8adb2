// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/rescue.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/decide_launch.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/running_constants.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"

#include <CL/cl_ext.h>

#include <utility>

namespace skmd::icd {

using namespace tuning;

std::vector<std::uint32_t> Rescue::candidates(const Unfinished& rest) const {
  // Devices that were not built when the launch was made are better than none.
  const Eligibility eligible = once_built(machine_, launch_, view_.shape().eligible());
  std::vector<std::uint32_t> devices;
  // Work-items would leave it once more, or nothing would check them.
  const auto leaves = [&](std::uint32_t device) {
    if (machine_.settings.check != CheckMode::deopt) return false;
    const TrapUse use = view_.shape().trap_use(machine_, launch_, device);
    return use.leaves || !use.why_not.empty();
  };
  const auto add = [&](std::uint32_t device) {
    if (eligible.eligible[device] && !rest.failed_on[device] && !machine_.devices[device]->health()->aside() &&
        !is_stopped(machine_, device) && !leaves(device))
      devices.push_back(device);
  };
  const std::uint32_t preferred = eligible.preferred(acting_anchor(machine_));
  add(preferred);
  for (std::uint32_t i = 0; i < eligible.eligible.size(); ++i)
    if (i != preferred) add(i);
  return devices;
}

void Rescue::tell(const Unfinished& rest, std::uint32_t device, const Status& failure) {
  std::uint64_t groups = 0;
  for (const domain::GroupSpan& span : rest.spans) groups += span.size();
  const std::string text = launch_.kernel->traits().name + ": " + failure.error().reason + "; " +
                           std::to_string(groups) + " work-groups run on " +
                           machine_.devices[device]->description().name + " instead";
  const bool fatal = rest.fault == Fault::device;
  machine_.observer->log(fatal ? LogLevel::warn : LogLevel::info, text);
  if (fatal) event_.context().report(text);
}

void Rescue::make_room(Unfinished& rest) const {
  const std::vector<Storage*> roots = view_.argument_roots();
  std::uint64_t bytes = 0;
  for (const Storage* root : roots) bytes += root->bytes();
  for (std::uint32_t device = 0; device < rest.failed_on.size(); ++device)
    if (rest.failed_on[device] && machine_.memory.drop(device, bytes, roots)) rest.failed_on[device] = false;
}

Status Rescue::run(Unfinished rest, Status failure) {
  // A trap is the kernel's own: it would come again on any device (SKMD_CHECK=stop).
  if (failure.error().code == CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM) return failure;
  if (rest.fault == Fault::memory) reason_ = domain::NotSplit::memory_short;
  if (keeps_state(machine_, *launch_.kernel)) return failure;
  if (failure.error().code == CL_MEM_OBJECT_ALLOCATION_FAILURE) make_room(rest);
  int fatal = 0;
  for (const std::uint32_t device : candidates(rest)) {
    if (!rest.inputs_intact) return failure;
    fatal += rest.fault == Fault::device ? 1 : 0;
    if (fatal >= kMaxFatal) return failure;
    if (running_ != nullptr && !running_->extend(device, is_suspended(machine_))) continue;
    tell(rest, device, failure);
    (void)machine_.memory.hold(device, view_.argument_roots(),
                               has_turn_);  // where there is no room, the conductor says so
    std::vector<domain::GroupSpan> spans = std::exchange(rest.spans, {});
    while (!spans.empty()) {
      const auto part = part_on(view_, device, spans.back(), reason_);
      Conductor conductor(machine_, launch_, view_, *part, event_, GivesWay::no, running_);
      if (Status status = conductor.run(); !status) {
        failure = std::move(status);
        rest.inputs_intact = conductor.unfinished().inputs_intact;
        rest.fault = conductor.unfinished().fault;
        break;
      }
      if (conductor.trapped() && !trapped_) trapped_ = conductor.trapped();
      for (const SliceReport& report : conductor.reports()) reports_.push_back(report);
      spans.pop_back();
    }
    if (spans.empty()) return {};
    rest.spans = std::move(spans);
  }
  return failure;
}

}  // namespace skmd::icd
