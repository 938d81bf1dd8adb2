// SPDX-License-Identifier: Apache-2.0
// A launch on an executor's thread: decided, carried through by a conductor, and where it was asked to give way begun
// again with what is left.
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/launch/account.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/dealing.h"
#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_checkpoint.h"
#include "intercept/launch/launch_command.h"
#include "intercept/launch/make_launch.h"
#include "intercept/launch/partly_run.h"
#include "intercept/launch/profiling_mode.h"
#include "intercept/launch/rescue.h"
#include "intercept/launch/resumption.h"
#include "intercept/launch/trap_use.h"
#include "intercept/launch/users.h"
#include "intercept/launch/verification.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {

namespace {

Carried carry(DealtLaunch&& dealt) {
  Status status = dealt.run();
  return {std::move(status), dealt.reports(), dealt.unfinished(), dealt.first_uses()};
}

Carried carry(Conductor&& conductor, const std::function<bool()>& wanted) {
  conductor.stop_when(wanted);
  conductor.divide_anew({});
  Status status = conductor.run();
  return {std::move(status),     conductor.reports(),      conductor.unfinished(), conductor.first_uses(),
          conductor.preempted(), conductor.divided_anew(), conductor.trapped(),    conductor.left()};
}

}  // namespace

LaunchCommand::~LaunchCommand() = default;

std::vector<Claim> LaunchCommand::claims() const {
  if (instead_ != nullptr) return instead_->claims();
  std::vector<Claim> claims = frozen_->claims();
  if (has_turn_) claims.push_back(claim_on(machine_.memory.turn(), domain::ByteRange{0, 1}, true));
  if (is_suspended(machine_)) claims.push_back(claim_on(machine_.memory.gate(), domain::ByteRange{0, 1}, false));
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

std::unique_ptr<RunningLaunch> LaunchCommand::admit(const Decision& decision) const {
  std::uint64_t devices = 0;
  for (const SliceWork& slice : decision.slices) devices |= std::uint64_t{1} << slice.device;
  return machine_.running->begin(launch_.kernel->traits().name, devices);
}

Status LaunchCommand::run_locked(Event& event, const std::shared_ptr<const Decision>& decision,
                                 RunningLaunch* running) {
  Partly partly{decision, {}, host_now()};
  std::unique_ptr<Verification> verification;
  if (machine_.settings.verify && decision->slices.size() > 1) {
    auto begun = Verification::begin(machine_, launch_, view_, *decision);
    if (!begun) return begun.error();
    verification = std::move(*begun);
  }
  tell_users(machine_, view_, *decision);
  partly.carried = decision->dealing
                       ? carry(DealtLaunch(machine_, launch_, view_, *decision->dealing, event, running))
                       : carry(Conductor(machine_, launch_, view_, *decision, event, GivesWay::yes, running), wanted());
  return go_on(event, std::move(partly), running, std::move(verification));
}

std::function<bool()> LaunchCommand::wanted() const {
  // A kernel that waits for memory waits for a command that waits for that memory.
  if ((launch_.kernel->traits().facts & domain::kFactSpinning) == 0) return {};
  return [this] { return RangeLock::is_wanted(frozen_->claims()); };
}

void LaunchCommand::take_up(std::vector<StoppedSpan> rest) {
  Partly partly{whole_on(launch_, view_, rest.front().device, domain::NotSplit::one_device_eligible), {}, host_now()};
  partly.was_stopped = true;
  partly.carried.unfinished.stopped = std::move(rest);
  partly_ = std::make_unique<Partly>(std::move(partly));
}

void LaunchCommand::write_file(const Partly& partly, RunningLaunch& running) noexcept try {
  const auto path = running.wanted_file();
  if (!path) return;
  auto written = write_checkpoint(machine_, launch_, view_, partly.carried.unfinished.stopped, *path);
  if (written) machine_.observer->checkpoint({written->bytes, written->seconds});
  running.written(std::move(written));
} catch (const std::exception&) {
  running.written(domain::Error{CL_OUT_OF_HOST_MEMORY, "no memory"});
}

void LaunchCommand::give_way(Partly&& partly, RunningLaunch* running) {
  if (running != nullptr) write_file(partly, *running);
  const auto target = running != nullptr ? running->target() : std::nullopt;
  if (target) {
    partly.target = target;
    const Eligibility eligible = eligible_for_rest(machine_, launch_, view_);
    for (const StoppedSpan& span : partly.carried.unfinished.stopped)
      if (span.device != *target && may_go_on(machine_, launch_, eligible, span, *target))
        running->will_move(span.span.size());
  }
  partly_ = std::make_unique<Partly>(std::move(partly));
}

Status LaunchCommand::go_on(Event& event, Partly&& partly, RunningLaunch* running,
                            std::unique_ptr<Verification> verification) {
  Carried& carried = partly.carried;
  std::vector<StoppedSpan>& stopped = carried.unfinished.stopped;
  if (stopped.empty()) return settle(event, std::move(partly), running, std::move(verification));
  const bool has_run = !std::exchange(partly.was_stopped, true);
  if (!carried.status) {
    leave_to_rescue(std::exchange(stopped, {}), carried.unfinished);
    return settle(event, std::move(partly), running, nullptr);
  }
  Resumption resumption(machine_, launch_, view_, event, has_turn_, running, wanted());
  if (!partly.target) resumption.divide_anew(carried.divided_anew);
  carried.status = resumption.run(std::exchange(stopped, {}), partly.target, has_run);
  carried.divided_anew = resumption.divided_anew();
  carried.unfinished = resumption.unfinished();
  carried.first_uses |= resumption.first_uses();
  carried.preempted.add(resumption.preempted());
  if (!carried.trapped) carried.trapped = resumption.trapped();
  carried.reports.insert(carried.reports.end(), resumption.reports().begin(), resumption.reports().end());
  if (carried.status && !stopped.empty()) {
    give_way(std::move(partly), running);
    return {};
  }
  return settle(event, std::move(partly), running, nullptr);
}

Status LaunchCommand::settle(Event& event, Partly&& partly, RunningLaunch* running,
                             std::unique_ptr<Verification> verification) {
  Status status = std::move(partly.carried.status);
  std::vector<SliceReport> reports = std::move(partly.carried.reports);
  std::shared_ptr<const Decision> decision = std::move(partly.decision);
  if (status && !partly.was_stopped) {
    const std::uint64_t end = host_now();
    learn_outcome(machine_, launch_, view_.shape(), *decision,
                  {end, static_cast<double>(end - partly.begin) * 1e-9, partly.carried.first_uses});
  } else if (status) {
    learn_stopped(machine_, launch_, view_.shape(), *decision, partly.carried.first_uses,
                  partly.carried.divided_anew.has_value());
  } else {
    std::vector<StoppedSpan> begun = std::exchange(partly.carried.unfinished.stopped, {});
    Rescue rescue(machine_, launch_, view_, event, has_turn_, running);
    status = rescue.run(std::move(partly.carried.unfinished), std::move(status));
    if (!status) return status;
    // Slices are compared with their own devices, which are not the ones that did the work.
    verification.reset();
    if (reports.empty()) decision = whole_on(launch_, view_, rescue.reports().front().device, rescue.reason());
    reports.insert(reports.end(), rescue.reports().begin(), rescue.reports().end());
    if (!partly.carried.trapped) partly.carried.trapped = rescue.trapped();
    if (!begun.empty()) {
      Carried& carried = partly.carried;
      carried.status = {};
      carried.unfinished = {};
      carried.unfinished.stopped = std::move(begun);
      carried.reports = std::move(reports);
      partly.decision = std::move(decision);
      return go_on(event, std::move(partly), running, nullptr);
    }
  }
  report_launch(machine_, launch_, *decision, reports, partly.begin, partly.carried.preempted);
  report_left(machine_, launch_, view_, std::move(partly.carried.left));
  if (status && partly.carried.trapped) return *partly.carried.trapped;
  return verification ? verification->finish() : status;
}

Status LaunchCommand::freeze_anew() {
  // The launch holds its ranges: where a device has just joined, no other build is waited for.
  const bool joined = (instead_ != nullptr ? *instead_ : *this).is_outdated();
  auto fresh = joined ? std::make_shared<const FrozenLaunch>(machine_, Launch(*frozen_)) : nullptr;
  if (fresh == nullptr || fresh->view().shape().eligible().count() == 0)
    fresh = freeze_when_built(machine_, Launch(*frozen_));
  if (fresh->view().shape().eligible().count() == 0) return no_device(machine_, *fresh);
  // The condition says that it is there. NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
  const bool has_turn = instead_ != nullptr ? instead_->has_turn_ : has_turn_;
  instead_ = std::make_unique<LaunchCommand>(machine_, std::move(fresh), watched_);
  instead_->has_turn_ = has_turn;
  return {};
}

Result<cl_int> LaunchCommand::run_decided(Event& event) {
  if (is_suspended(machine_)) return kRunAgain;
  std::unique_ptr<RunningLaunch> running;
  if (partly_ != nullptr) {
    if (machine_.running != nullptr && (running = machine_.running->begin(launch_.kernel->traits().name, 0)) == nullptr)
      return kRunAgain;
    const std::unique_ptr<Partly> partly = std::move(partly_);
    Status status = go_on(event, std::move(*partly), running.get(), nullptr);
    if (partly_ != nullptr) return kRunAgain;
    return status ? Result<cl_int>(CL_COMPLETE) : Result<cl_int>(status.error());
  }
  if (profiled_ && !has_turn_) {
    // On all devices: not where some are stopped.
    const std::uint64_t all = (std::uint64_t{2} << (machine_.devices.size() - 1)) - 1;
    if (machine_.running == nullptr ||
        (running = machine_.running->begin(launch_.kernel->traits().name, all)) != nullptr)
      machine_.profiling->profile(machine_, launch_, view_);
    running.reset();
  }
  if (!decided_ && is_outdated()) return kElsewhere;
  auto decision = decided_ ? std::exchange(decided_, nullptr) : decide_launch(machine_, launch_, view_);
  if (machine_.running != nullptr && (running = admit(*decision)) == nullptr)
    return is_suspended(machine_) ? kRunAgain : kElsewhere;
  if (!make_room(*decision)) {
    decided_ = std::move(decision);
    has_turn_ = true;
    return kRunAgain;
  }
  Status status = run_locked(event, decision, running.get());
  if (partly_ != nullptr) return kRunAgain;
  return status ? Result<cl_int>(CL_COMPLETE) : Result<cl_int>(status.error());
}

cl_int LaunchCommand::run(Event& event) {
  Status status;
  try {
    for (;;) {
      auto done = (instead_ != nullptr ? *instead_ : *this).run_decided(event);
      if (done && *done != kElsewhere) return *done;
      status = done ? freeze_anew() : done.error();
      if (!status) break;
    }
  } catch (const std::exception&) {  // bad_alloc: nothing else is thrown below here
    status = domain::Error{CL_OUT_OF_HOST_MEMORY, "no host memory"};
  }
  return ended(status, event);
}

}  // namespace skmd::icd
