// SPDX-License-Identifier: Apache-2.0
// A launch that was submitted as one batch: what becomes of it when the batch has ended, well or not.
#include "intercept/launch/launch_command.h"

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/account.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/rescue.h"
#include "intercept/launch/trap_use.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "intercept/memory/submission.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {

bool LaunchCommand::misled(const InFlight& flight) const {
  const SliceWork& slice = flight.decision->slices.front();
  if (machine_.devices[slice.device]->health()->failures() == flight.failures) return false;
  if (flight.lock.overtook()) return true;
  for (std::size_t r = 0; r < view_.roots().size(); ++r)
    if (!still_valid(machine_, *view_.roots()[r], slice.device, slice.touches->needed[r])) return true;
  return false;
}

void LaunchCommand::landed(BatchResult&& result) {
  InFlight& flight = *flight_;
  const SliceWork& slice = flight.decision->slices.front();
  const bool failed = result.status != CL_SUCCESS;
  flight.runs.reset();
  if (failed && flight.moves) flight.moves->revoke_uploads(slice.device);
  try {
    if (failed || misled(flight)) {
      flight.event->leave_device();
      flight.lock.unchain();
      const bool ran = !failed || result.accepted > flight.uploads;
      // It stays its own owner until it has run again.
      Recovery::get().add(
          machine_, *machine_.devices[slice.device],
          {[this, ran](LostRanges& lost_ranges) { take_back(*flight_, ran, lost_ranges); },
           [this, result = std::move(result)](LostRanges& lost_ranges) { again(result, lost_ranges); }});
      return;
    }
  } catch (const std::bad_alloc&) {  // no memory to run it again
    const std::shared_ptr<Command> self = std::move(flight.self);
    flight.running.reset();
    flight.lock.release();
    flight.event->complete(CL_OUT_OF_HOST_MEMORY);
    return;
  }
  const std::shared_ptr<Command> self = std::move(flight.self);
  if (result.ended_itself) flight.event->end_itself();
  try {
    const SliceReport report =
        account(machine_, launch_, view_.shape(), slice, flight.uploads, flight.upload_bytes, flight.first, result);
    if (flight.event->profiled()) {
      // The kernel's own time, without waiting and uploads: what the application would see without us.
      flight.event->work_started(report.start != 0 ? report.start : flight.begin);
      flight.event->work_ended(report.end != 0 ? report.end : host_now());
    }
    learn_outcome(
        machine_, launch_, view_.shape(), *flight.decision,
        {report.end, report.run_ns == 0 ? 0.0 : static_cast<double>(report.run_ns + report.upload_ns) * 1e-9, 0});
    report_launch(machine_, launch_, *flight.decision, {&report, 1}, flight.begin, {PreemptForm::none, flight.why_not});
    report_left(machine_, launch_, view_, {});
  } catch (const std::bad_alloc&) {  // only the report is lost
    flight.event->work_started(flight.begin);
  }
  cl_int code = CL_COMPLETE;
  if (result.trapped) code = ended(*result.trapped, *flight.event);
  flight.running.reset();
  flight.lock.release();
  flight.event->complete(code);
}

void LaunchCommand::take_back(InFlight& flight, bool ran, LostRanges& lost_ranges) {
  const SliceWork& slice = flight.decision->slices.front();
  const domain::SpaceMask here = domain::SpaceMask{1} << machine_.devices[slice.device]->description().space;
  for (const auto& [root, pieces] : flight.old) {
    const MutexGuard lock(view_.roots()[root]->mutex());
    view_.roots()[root]->residency().restored(pieces, ran ? here : 0);
  }
  // Some of these bytes were to be uploaded by this batch.
  if (!ran && flight.moves) flight.moves->revoke_uploads(slice.device);
  for (const auto& [root, pieces] : flight.old)
    if (const auto found = lost_ranges.find(view_.roots()[root]); found != lost_ranges.end())
      for (const auto& piece : pieces) found->second.remove(piece.range);
  if (!ran) return;
  std::vector<domain::RangeSet> lost(view_.roots().size());
  for (std::size_t r = 0; r < lost.size(); ++r) lost[r] = slice.touches->in_place[r];
  for (const auto& [root, pieces] : flight.old)
    for (const auto& piece : pieces) lost[root].remove(piece.range);
  for (std::size_t r = 0; r < lost.size(); ++r) {
    if (lost[r].empty()) continue;
    lost[r].remove(view_.roots()[r]->write_mapped());
    lost_ranges[view_.roots()[r]].add(lost[r]);
  }
}

bool LaunchCommand::reads(const SliceWork& slice, const LostRanges& lost_ranges) const {
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    const auto found = lost_ranges.find(view_.roots()[r]);
    if (found != lost_ranges.end() && found->second.intersects(slice.touches->needed[r])) return true;
  }
  return false;
}

void LaunchCommand::again(const BatchResult& result, LostRanges& lost_ranges) {
  InFlight& flight = *flight_;
  const Ref<Event> event = flight.event;
  const SliceWork& slice = flight.decision->slices.front();
  const bool failed = result.status != CL_SUCCESS;
  Unfinished rest;
  rest.spans = {slice.span};
  rest.failed_on.resize(machine_.devices.size());
  rest.failed_on[slice.device] = failed;
  rest.fault = result.fault;
  const Status failure = domain::Error{failed ? result.status : CL_OUT_OF_RESOURCES,
                                       failed ? result.reason : "a command before it on the device failed"};
  event->work_started(flight.begin);
  Status status = failure;
  rest.inputs_intact = !reads(slice, lost_ranges);
  // What it waits for has ended: all of that was on the same device before it, or is in the list before it.
  if (event->dependency_failed()) {
    status = domain::Error{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "a command that it waited for failed"};
  } else {
    try {
      Rescue rescue(machine_, launch_, view_, *event, false, flight.running.get());
      status = rescue.run(std::move(rest), failure);
      if (status) {
        for (std::size_t r = 0; r < view_.roots().size(); ++r)
          if (const auto found = lost_ranges.find(view_.roots()[r]); found != lost_ranges.end())
            found->second.remove(slice.touches->roots[r].may_write);
        report_launch(machine_, launch_, *flight.decision, rescue.reports(), flight.begin,
                      {PreemptForm::none, flight.why_not});
        if (rescue.trapped()) status = *rescue.trapped();
      }
    } catch (const std::exception&) {
      status = domain::Error{CL_OUT_OF_HOST_MEMORY, "no host memory"};
    }
  }
  const cl_int code = ended(status, *event);
  flight.running.reset();
  flight.lock.release();
  // What the command held is released before its end becomes visible.
  std::shared_ptr<Command> self = std::move(flight.self);
  self.reset();
  event->complete(code);
}

}  // namespace skmd::icd
