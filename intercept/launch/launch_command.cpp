// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_command.h"

#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "intercept/launch/conductor.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/verification.h"

namespace skmd::icd {

/// A whole launch on its way: kept alive by its batch's completion.
struct LaunchCommand::InFlight {
  Ref<Event> event;
  std::shared_ptr<Command> self;
  RangeLock lock;
  std::shared_ptr<const Decision> decision;
  std::size_t uploads = 0;
  std::uint64_t upload_bytes = 0;
  std::optional<MovePlan> moves;   // if there are any
  std::optional<MoveGuard> guard;  // until the uploads that others may count on are submitted
  bool first = false;
  std::uint64_t begin = 0;
};

namespace {

/// The device could not hold what the launch needs; another one may. Failures of the kernel itself are not repeated.
bool lacks_room(const Status& status) {
  const cl_int code = status.error().code;
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE || code == CL_INVALID_IMAGE_SIZE ||
         code == CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

}  // namespace

LaunchCommand::LaunchCommand(Machine& machine, Launch launch)
    : machine_(machine), launch_(std::move(launch)), view_(machine, launch_) {}

bool LaunchCommand::may_start() const {
  if (view_.shape().confined()) return true;
  // These modes split whatever can be split: there is nothing to find out here.
  const auto mode = machine_.settings.policy.mode;
  return mode == domain::PartitionMode::automatic || mode == domain::PartitionMode::linear;
}

bool LaunchCommand::resident(const SliceWork& slice) const {
  const domain::SpaceId space = machine_.devices[slice.device]->description().space;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    const domain::RangeSet& needed = slice.touches->needed[r];
    if (needed.empty()) continue;
    Storage& root = *view_.roots()[r];
    // Somebody may count on uploads that he has yet to submit.
    const std::unique_lock moving(root.move_mutex(), std::try_to_lock);
    if (!moving) return false;
    const std::lock_guard lock(root.mutex());
    if (root.residency().valid(space, needed).bytes() != needed.bytes()) return false;
  }
  return true;
}

Status LaunchCommand::add_uploads(const SliceWork& slice, InFlight& flight, std::vector<Op>& ops) {
  std::vector<Storage*> roots;
  std::vector<MoveNeed> needs;
  const bool in_place = machine_.devices[slice.device]->description().space == domain::kHostSpace;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    roots.push_back(view_.roots()[r].get());
    domain::RangeSet needed = slice.touches->needed[r];
    if (!needed.empty()) needs.push_back({roots.back(), in_place ? MoveNeed::kHost : slice.device, std::move(needed)});
  }
  auto guard = MoveGuard::try_lock(std::move(roots));
  if (!guard) return domain::Error{CL_SUCCESS, "bytes are being moved"};
  MovePlan moves = MovePlan::make(machine_, std::move(needs));
  if (moves.gathers()) return domain::Error{CL_SUCCESS, "bytes have to be gathered first"};
  auto uploads = moves.upload_ops(slice.device);
  if (!uploads) return uploads.error();
  ops = std::move(*uploads);
  flight.uploads = ops.size();
  flight.upload_bytes = moves.upload_bytes(slice.device);
  // The queue is in order: what is submitted next may count on these bytes already.
  moves.commit_uploads();
  flight.moves.emplace(std::move(moves));
  flight.guard.emplace(std::move(*guard));
  return {};
}

Result<Batch> LaunchCommand::prepare(const Decision& decision, InFlight& flight) {
  const SliceWork& slice = decision.slices.front();
  auto arguments = native_arguments(machine_, launch_, slice.device);
  if (!arguments) return arguments.error();
  // Whatever can fail comes before uploads are counted on.
  if (auto kernel = launch_.kernel->native(slice.device); !kernel) return kernel.error();
  Batch batch;
  if (!resident(slice))
    if (auto status = add_uploads(slice, flight, batch.ops); !status) return status.error();
  if (auto status = append_runs(launch_, slice.device, *arguments, slice.span, batch.ops); !status)
    return status.error();
  for (std::size_t r = 0; r < view_.roots().size(); ++r)
    commit_slice(machine_, view_, slice, r, slice.touches->roots[r].may_write);
  return batch;
}

bool LaunchCommand::start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) {
  if (machine_.settings.verify || !may_start()) return false;
  auto decision = decide(machine_, launch_, view_);
  if (decision->slices.size() != 1) return false;
  Device& device = *machine_.devices[decision->slices.front().device];
  if (behind != nullptr && behind != &device) return false;
  auto lock = RangeLock::try_take(view_.claims(), &device);
  if (!lock) return false;

  auto flight = std::make_shared<InFlight>();
  flight->begin = now_ns();
  auto batch = prepare(*decision, *flight);
  if (!batch) return false;  // run() does it, or says what is wrong

  flight->event = event;
  flight->self = self;
  flight->lock = std::move(*lock);
  flight->decision = std::move(decision);
  flight->first = first_use(launch_, flight->decision->slices.front().device, flight->decision->slices.front().span);
  batch->want_times = wants_times(machine_);
  batch->done = [this, flight](BatchResult&& result) {
    const SliceReport report = account(machine_, launch_, flight->decision->slices.front(), flight->uploads,
                                       flight->upload_bytes, flight->first, result);
    if (report.start != 0) flight->event->work_started(report.start);
    flight->event->work_ended(now_ns());
    if (result.status == CL_SUCCESS)
      report_launch(machine_, launch_, *flight->decision, {report}, flight->begin);
    else if (flight->moves)
      flight->moves->revoke_uploads();
    flight->lock.release();
    // The event may be the last owner of everything here, `this` included; `self` goes with the closure.
    flight->event->complete(result.status == CL_SUCCESS ? CL_COMPLETE : result.status);
  };
  event->advance(CL_SUBMITTED);
  event->work_started(flight->begin);
  const Ticket ticket = device.submit(std::move(*batch));
  flight->guard.reset();
  event->set_native(&device, ticket);
  return true;
}

Status LaunchCommand::run_locked(Event& event) {
  const auto decision = decide(machine_, launch_, view_);
  std::unique_ptr<Verification> verification;
  if (machine_.settings.verify && decision->slices.size() > 1) {
    auto begun = Verification::begin(machine_, launch_, view_, *decision);
    if (!begun) return begun.error();
    verification = std::move(*begun);
  }
  Conductor conductor(machine_, launch_, view_, *decision, event);
  Status status = conductor.run();
  if (status) return verification ? verification->finish() : status;
  if (!lacks_room(status) || !conductor.inputs_intact()) return status;
  return run_elsewhere(*decision, std::move(status), event);
}

Status LaunchCommand::run_elsewhere(const Decision& decision, Status failure, Event& event) {
  const Eligibility& eligible = view_.shape().eligible();
  std::vector<std::uint32_t> devices{eligible.preferred(machine_.anchor)};
  for (std::uint32_t i = 0; i < eligible.eligible.size(); ++i)
    if (eligible.eligible[i] && i != devices.front()) devices.push_back(i);
  for (const std::uint32_t device : devices) {
    if (decision.slices.size() == 1 && decision.slices.front().device == device) continue;
    machine_.observer->log(LogLevel::info, launch_.kernel->traits().name + " runs whole on " +
                                               machine_.devices[device]->description().name + ": " +
                                               failure.error().reason);
    const auto whole = whole_on(launch_, view_, device, domain::NotSplit::memory_short);
    Conductor conductor(machine_, launch_, view_, *whole, event);
    failure = conductor.run();
    if (failure || !lacks_room(failure) || !conductor.inputs_intact()) return failure;
  }
  return failure;
}

cl_int LaunchCommand::run(Event& event) {
  Status status;
  try {
    status = run_locked(event);
  } catch (const std::exception&) {  // bad_alloc: nothing else is thrown below here
    status = domain::Error{CL_OUT_OF_HOST_MEMORY, "no host memory"};
  }
  if (status) return CL_COMPLETE;
  machine_.observer->log(LogLevel::error,
                         "launch of " + launch_.kernel->traits().name + " failed: " + status.error().reason);
  event.context().report(status.error().reason);
  return status.error().code < 0 ? status.error().code : CL_OUT_OF_RESOURCES;
}

Result<std::shared_ptr<Command>> make_launch(Machine& machine, Launch launch) {
  auto command = std::make_shared<LaunchCommand>(machine, std::move(launch));
  const Eligibility& eligible = command->view().shape().eligible();
  if (eligible.count() != 0) return std::shared_ptr<Command>(std::move(command));
  std::string reason = "no device can take the launch";
  for (std::size_t i = 0; i < eligible.why_not.size(); ++i)
    reason += "; " + machine.devices[i]->description().name + ": " + eligible.why_not[i];
  return domain::Error{CL_OUT_OF_RESOURCES, reason};
}

}  // namespace skmd::icd
