// SPDX-License-Identifier: Apache-2.0
// From a launch that was asked for to its command, or to the reason why no device can take it.
#include <string>
#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/launch/launch_checkpoint.h"
#include "intercept/launch/launch_command.h"
#include "intercept/launch/make_launch.h"
#include "intercept/machine/machine.h"
#include "intercept/machine/running_launches.h"
#include "intercept/object/build_queue.h"
#include "intercept/object/launch.h"
#include "profiler/checkpoint/launch_codec.h"

namespace skmd::icd {

namespace {

std::shared_ptr<Command> command_of(Machine& machine, std::shared_ptr<const FrozenLaunch> frozen, bool watched) {
  return std::allocate_shared<LaunchCommand>(Recycling<LaunchCommand>(), machine, std::move(frozen), watched);
}

/// Programs are built on a device that was started again when they are first launched afterwards.
void build_on_restarted(Machine& machine, const FrozenLaunch& frozen) {
  const std::shared_ptr<NativeBuilds>& builds = frozen.kernel->shared_builds();
  std::vector<std::uint32_t> wanted;
  for (const std::uint32_t device : frozen.view().shape().eligible().pending)
    if ((machine.running->restarted() >> device & 1) != 0 && builds->want(device)) wanted.push_back(device);
  if (machine.builds != nullptr && !wanted.empty()) machine.builds->follow_on(builds, wanted);
}

}  // namespace

domain::Error no_device(const Machine& machine, const FrozenLaunch& frozen) {
  const Eligibility& eligible = frozen.view().shape().eligible();
  std::string reason = "no device can take the launch";
  for (std::size_t i = 0; i < eligible.why_not.size(); ++i)
    reason += "; " + machine.devices[i]->description().name + ": " + eligible.why_not[i];
  // "if SVM pointers are passed as arguments to a kernel and the device does not support SVM"
  if (follows_svm_pointers(frozen)) return {CL_INVALID_OPERATION, reason};
  return {eligible.memory_short ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES, reason};
}

Result<std::shared_ptr<Command>> make_launch(Machine& machine, Launch launch, bool watched, Kernel* kernel) {
  launch.kernel->launched();
  auto frozen = freeze_when_built(machine, std::move(launch));
  if (machine.running != nullptr && machine.running->restarted() != 0) build_on_restarted(machine, *frozen);
  if (frozen->view().shape().eligible().count() == 0) return no_device(machine, *frozen);
  if (kernel != nullptr) kernel->remember(frozen);
  return command_of(machine, std::move(frozen), watched);
}

Result<std::shared_ptr<Command>> make_rest(Machine& machine, Launch launch, std::string_view rest) {
  const auto left = checkpoint::decode_rest(rest, launch.range.group_total());
  if (!left) return domain::Error{CL_INVALID_VALUE, "what is left of the launch: " + left.error().reason};
  launch.kernel->launched();
  auto frozen = freeze_when_built(machine, std::move(launch));
  if (frozen->view().shape().eligible().count() == 0) return no_device(machine, *frozen);
  auto spans = take_up(machine, *frozen, frozen->view(), *left);
  if (!spans) return spans.error();
  auto command = std::make_shared<LaunchCommand>(machine, std::move(frozen), true);
  command->take_up(std::move(*spans));
  return std::shared_ptr<Command>(std::move(command));
}

std::shared_ptr<Command> repeat_launch(Machine& machine, std::shared_ptr<const Launch>&& launch, bool watched) {
  if (!static_cast<const FrozenLaunch&>(*launch).fits(machine)) return nullptr;
  launch->kernel->launched();
  return command_of(machine, std::static_pointer_cast<const FrozenLaunch>(std::move(launch)), watched);
}

}  // namespace skmd::icd
