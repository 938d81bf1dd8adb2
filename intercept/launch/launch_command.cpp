// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_command.h"

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/account.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/dealing.h"
#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/decision_waits.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/preemption.h"
#include "intercept/launch/profiling_mode.h"
#include "intercept/launch/rescue.h"
#include "intercept/launch/resumption.h"
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
  if (launch_.part != nullptr) return false;  // its batches are not in the order of the whole's
  if (view_.shape().confined()) return true;
  // The other modes split every launch that can be split: there is nothing to decide here.
  return domain::goes_by_times(machine_.settings.policy.mode);
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
    if (behind != nullptr && should_wait_to_decide(machine_, view_)) return false;
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
  // The ranges are shared with what was submitted to the device before, by any thread.
  Submission submission(view_.roots());
  if (!submission.holds()) return false;

  flight_.emplace(InFlight{});  // clang-tidy 14 does not accept emplace() without arguments here
  flight_->failures = failures;
  flight_->why_not = how.why_not;
  flight_->decision = std::exchange(decided_, nullptr);
  flight_->lock = std::move(*lock);
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
    batch->quiet = !watched_ && !batch->want_times;
    batch->done = [this](BatchResult&& result) { landed(std::move(result)); };
    event->advance(CL_SUBMITTED);
    return device.submit(std::move(*batch));
  } catch (const std::bad_alloc&) {  // nothing was submitted
    LostRanges none;
    take_back(flight, false, none);
    throw;
  }
}

namespace {

Carried carry(DealtLaunch&& dealt) {
  Status status = dealt.run();
  return {std::move(status), dealt.reports(), dealt.unfinished(), dealt.first_uses()};
}

Carried carry(Conductor&& conductor, const std::function<bool()>& wanted) {
  conductor.stop_when(wanted);
  Status status = conductor.run();
  return {std::move(status), conductor.reports(), conductor.unfinished(), conductor.first_uses(),
          conductor.preempted()};
}

/// Groups of slices that were stopped go on. If other slices failed, they are left to the rescue of those.
void go_on_with_stopped(Carried& carried, Resumption&& resumption) {
  std::vector<StoppedSpan> stopped = std::exchange(carried.unfinished.stopped, {});
  if (stopped.empty()) return;
  if (!carried.status) {
    for (const StoppedSpan& span : stopped) carried.unfinished.spans.push_back(span.span);
    return;
  }
  carried.status = resumption.run(std::move(stopped));
  carried.unfinished = resumption.unfinished();
  carried.first_uses |= resumption.first_uses();
  carried.preempted.add(resumption.preempted());
  carried.reports.insert(carried.reports.end(), resumption.reports().begin(), resumption.reports().end());
}

}  // namespace

std::vector<Claim> LaunchCommand::claims() const {
  std::vector<Claim> claims = frozen_->claims();
  if (has_turn_) claims.push_back(claim_on(machine_.memory.turn(), domain::ByteRange{0, 1}, true));
  return claims;
}

bool LaunchCommand::make_room(const Decision& decision) const {
  DeviceMemory& memory = machine_.memory;
  if (!has_turn_ && memory.wanted()) return false;
  const std::vector<Storage*> roots = view_.argument_roots();
  for (const SliceWork& slice : decision.slices)
    if (memory.hold(slice.device, roots, has_turn_) == DeviceMemory::Held::busy) return false;
  return true;
}

std::function<bool()> LaunchCommand::wanted() const {
  // A kernel that waits for memory waits for a command that waits for that memory.
  if ((launch_.kernel->traits().facts & domain::kFactSpinning) == 0) return {};
  return [this] { return RangeLock::is_wanted(frozen_->claims()); };
}

Status LaunchCommand::run_locked(Event& event, std::shared_ptr<const Decision> decision) {
  auto running = std::make_unique<Running>();
  running->begin = host_now();
  if (machine_.settings.verify && decision->slices.size() > 1) {
    auto begun = Verification::begin(machine_, launch_, view_, *decision);
    if (!begun) return begun.error();
    running->verification = std::move(*begun);
  }
  tell_users(machine_, view_, *decision);
  running->carried = decision->dealing
                         ? carry(DealtLaunch(machine_, launch_, view_, *decision->dealing, event))
                         : carry(Conductor(machine_, launch_, view_, *decision, event, GivesWay::yes), wanted());
  running->stopped = !running->carried.unfinished.stopped.empty();
  running->decision = std::move(decision);
  return go_on(event, std::move(running));
}

Status LaunchCommand::go_on(Event& event, std::unique_ptr<Running> running) {
  Carried& carried = running->carried;
  go_on_with_stopped(carried, Resumption(machine_, launch_, view_, event, has_turn_, wanted()));
  if (carried.status && !carried.unfinished.stopped.empty()) {
    paused_ = std::move(running);
    return {};
  }
  Status status = std::move(carried.status);
  std::vector<SliceReport> reports = std::move(carried.reports);
  std::unique_ptr<Verification> verification = std::move(running->verification);
  std::shared_ptr<const Decision> decision = running->decision;
  if (running->stopped) verification.reset();  // as below
  if (status && !running->stopped) {
    const std::uint64_t end = host_now();
    learn_outcome(machine_, launch_, view_.shape(), *decision,
                  {end, static_cast<double>(end - running->begin) * 1e-9, carried.first_uses});
  } else if (!status) {
    Rescue rescue(machine_, launch_, view_, event, has_turn_);
    if (status = rescue.run(std::move(carried.unfinished), std::move(status)); !status) return status;
    // Slices are compared with their own devices, which are not the ones that did the work.
    verification.reset();
    if (reports.empty()) decision = whole_on(launch_, view_, rescue.reports().front().device, rescue.reason());
    reports.insert(reports.end(), rescue.reports().begin(), rescue.reports().end());
  }
  report_launch(machine_, launch_, *decision, reports, running->begin, carried.preempted);
  return verification ? verification->finish() : status;
}

cl_int LaunchCommand::run(Event& event) {
  Status status;
  try {
    if (paused_) {
      status = go_on(event, std::exchange(paused_, nullptr));
      return paused_ ? kRunAgain : ended(status, event);
    }
    if (profiled_ && !has_turn_) machine_.profiling->profile(machine_, launch_, view_);
    auto decision = decided_ ? std::exchange(decided_, nullptr) : decide_launch(machine_, launch_, view_);
    if (!make_room(*decision)) {
      decided_ = std::move(decision);
      has_turn_ = true;
      return kRunAgain;
    }
    status = run_locked(event, std::move(decision));
    if (paused_) return kRunAgain;   // what others wait for is released in between
  } catch (const std::exception&) {  // bad_alloc: nothing else is thrown below here
    status = domain::Error{CL_OUT_OF_HOST_MEMORY, "no host memory"};
  }
  return ended(status, event);
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
