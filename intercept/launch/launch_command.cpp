// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_command.h"

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/account.h"
#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/decision_waits.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/partly_run.h"
#include "intercept/launch/preemption.h"
#include "intercept/launch/profiling_mode.h"
#include "intercept/launch/users.h"
#include "intercept/launch/verification.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "intercept/memory/submission.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {

using namespace tuning;

LaunchCommand::LaunchCommand(Machine& machine, std::shared_ptr<const FrozenLaunch> launch, bool watched)
    : machine_(machine),
      frozen_(std::move(launch)),
      launch_(*frozen_),
      view_(frozen_->view()),
      watched_(watched),
      profiled_(machine.profiling != nullptr && machine.profiling->wants(launch_)) {}

bool LaunchCommand::may_start() const {
  if (partly_ != nullptr) return false;       // most of it may have run
  if (launch_.part != nullptr) return false;  // its batches are not in the order of the whole's
  if (view_.shape().confined()) return true;
  // The other modes split every launch that can be split: there is nothing to decide here.
  return domain::goes_by_times(machine_.settings.policy.mode);
}

bool LaunchCommand::is_outdated() const {
  return machine_.settings.policy.mode == domain::PartitionMode::automatic && launch_.part == nullptr &&
         frozen_->may_gain_a_device();
}

Status LaunchCommand::add_uploads(const SliceWork& slice, InFlight& flight, std::vector<Op>& ops) {
  MoveNeeds needs;
  const domain::SpaceId space = machine_.devices[slice.device]->description().space;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    Storage* const root = view_.roots()[r].get();
    const domain::RangeSet& needed = slice.touches->needed[r];
    if (!root->holds(space, needed))
      needs.push_back({root, space == domain::kHostSpace ? MoveNeed::kHost : slice.device, needed});
  }
  if (needs.empty()) return {};
  MovePlan moves = MovePlan::make(machine_, needs);
  if (moves.gathers()) return domain::Error{CL_SUCCESS, "bytes have to be gathered first"};
  auto uploads = moves.upload_ops(slice.device);
  if (!uploads) return uploads.error();
  ops = std::move(*uploads);
  flight.uploads = ops.size();
  flight.upload_bytes = moves.upload_bytes(slice.device);
  // The queue is in order: what is submitted next may rely on these bytes already.
  flight.moves.emplace(std::move(moves));
  flight.moves->commit_uploads();  // where that fails, what it has done is revoked
  return {};
}

Result<Batch> LaunchCommand::prepare(const Decision& decision, InFlight& flight) {
  const SliceWork& slice = decision.slices.front();
  // Everything that can fail comes before uploads are committed to residency.
  const std::vector<Op>* fixed = nullptr;
  NativeCall call;
  if (frozen_->has_fixed_runs()) {
    auto runs = frozen_->fixed_runs(slice.device);
    if (!runs) return runs.error();
    flight.runs = std::move(*runs);
    fixed = flight.runs.get();
  } else {
    auto made = native_call(machine_, launch_, slice.device);
    if (!made) return made.error();
    call = std::move(*made);
  }
  Batch batch;
  if (auto status = add_uploads(slice, flight, batch.ops); !status) return status.error();
  if (fixed != nullptr && batch.ops.empty())
    batch.shared_ops = fixed;
  else if (fixed != nullptr)
    batch.ops.insert(batch.ops.end(), fixed->begin(), fixed->end());
  else if (auto status = append_runs(launch_, view_, slice, call, batch.ops); !status)
    return status.error();
  const domain::SpaceId space = machine_.devices[slice.device]->description().space;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    const domain::RangeSet& written = slice.touches->roots[r].may_write;
    if (written.empty()) continue;
    Storage& root = *view_.roots()[r];
    const MutexGuard lock(root.mutex());
    if (auto old = root.residency().shared(space, written); !old.empty()) flight.old.emplace_back(r, std::move(old));
    commit_written(root, space, written);
  }
  return batch;
}

bool LaunchCommand::times_are_worth_it(const Event& event, const Decision& decision) const {
  if (machine_.observer->wants_times() || machine_.settings.profile_every_launch || event.profiled()) return true;
  if ((machine_.devices.size() == 1 && machine_.profile == nullptr) || !wants_times(machine_))
    return machine_.settings.preempt.mode != PreemptMode::off && view_.shape().sampling().due(kSeldomTimed);
  const bool decides = machine_.devices.size() > 1 && domain::goes_by_times(machine_.settings.policy.mode);
  return view_.shape().sampling().due(decides ? decision.predicted_seconds : kSeldomTimed) ||
         decision.predicted_seconds >= kAlwaysTimed;
}

bool LaunchCommand::start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) {
  if (machine_.settings.verify || profiled_ || !may_start()) return false;
  if (machine_.memory.wanted()) return false;  // a launch that waits for room would wait for this one, and the next
  if (!decided_) {
    if (is_outdated()) return false;
    if (behind != nullptr && should_wait_to_decide(machine_, launch_, view_)) return false;
    decided_ = decide_launch(machine_, launch_, view_);
  }
  if (decided_->slices.size() != 1) return false;
  const SliceWork& slice = decided_->slices.front();
  // What is submitted behind a launch counts on its results: one that gives way is not submitted as one batch.
  const Stoppable how = stoppable(machine_, launch_, view_, slice.device, slice.span);
  if (how.form != StopForm::none) return false;
  Device& device = *machine_.devices[decided_->slices.front().device];
  if (behind != nullptr && behind != &device) return false;
  const Health::Window window(*device.health());
  const std::uint32_t failures = device.health()->failures();
  auto lock = RangeLock::try_take_kept(frozen_->claims(), &device);
  if (!lock) return false;
  // Behind the ranges: a thread that stops the device waits for those that had theirs before.
  std::unique_ptr<RunningLaunch> running;
  if (machine_.running != nullptr && (running = admit(*decided_)) == nullptr) return false;
  auto told = running != nullptr ? running->add(slice.device, slice.span.size(), nullptr) : nullptr;
  // The ranges are shared with what was submitted to the device before, by any thread.
  Submission submission(view_.roots());
  if (!submission.holds()) return false;

  flight_.emplace(InFlight{});  // clang-tidy 14 does not accept emplace() without arguments here
  flight_->failures = failures;
  flight_->why_not = how.why_not;
  flight_->decision = std::exchange(decided_, nullptr);
  flight_->lock = std::move(*lock);
  flight_->running = std::move(running);
  flight_->told = std::move(told);
  std::optional<Ticket> ticket;
  // The in-flight state holds the ranges and the command: both are released if nothing was submitted. Release the range
  // lock last, after the move mutexes: releasing it may start another command.
  const auto give_back = [&] {
    submission.unlock();
    flight_.reset();
  };
  try {
    ticket = submit(device, event, self);
  } catch (...) {  // bad_alloc: nothing else is thrown below here
    give_back();
    throw;
  }
  if (!ticket) {
    give_back();
    return false;
  }
  submission.unlock();
  tell_users(machine_, view_, *flight_->decision);
  event->set_native(&device, *ticket);
  return true;
}

std::optional<Ticket> LaunchCommand::submit(Device& device, const Ref<Event>& event,
                                            const std::shared_ptr<Command>& self) {
  InFlight& flight = *flight_;
  // Asking the clock takes a tenth of what a launch costs.
  if (event->profiled() || reports_launches(machine_)) flight.begin = host_now();
  try {
    auto batch = prepare(*flight.decision, flight);
    if (!batch) {  // run() does it, or says what is wrong
      if (flight.moves) flight.moves->revoke_uploads(flight.decision->slices.front().device);
      return std::nullopt;
    }
    flight.event = event;
    flight.self = self;
    const SliceWork& slice = flight.decision->slices.front();
    flight.first = batch->first_use = is_first_use(launch_, view_, slice.device, slice.span);
    mark_used(launch_, view_, slice.device, slice.span);
    batch->want_times = times_are_worth_it(*event, *flight.decision);
    // Behind a long launch's piece the next one follows, whose end would be taken for this launch's.
    batch->quiet =
        !watched_ && !batch->want_times && machine_.long_slices[slice.device].load(std::memory_order_relaxed) == 0;
    batch->helped = true;
    batch->done = [this](BatchResult&& result) { landed(std::move(result)); };
    event->advance(CL_SUBMITTED);
    return device.submit(std::move(*batch));
  } catch (const std::bad_alloc&) {  // nothing was submitted
    LostRanges none;
    take_back(flight, false, none);
    throw;
  }
}

cl_int LaunchCommand::ended(const Status& status, Event& event) {
  if (status) return CL_COMPLETE;
  try {
    machine_.observer->log(LogLevel::error,
                           "launch of " + launch_.kernel->traits().name + " failed: " + status.error().reason);
    event.context().report(status.error().reason);
  } catch (const std::bad_alloc&) {  // only the report is missing
  }
  return command_status(status.error().code);
}

}  // namespace skmd::icd
