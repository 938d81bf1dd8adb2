// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/conductor.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/account.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/running_constants.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

using namespace tuning;

Conductor::Conductor(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision,
                     Event& event, GivesWay gives_way, RunningLaunch* running, const StoppedSpan& stopped)
    : machine_(machine),
      launch_(launch),
      view_(view),
      decision_(decision),
      event_(event),
      gives_way_(gives_way),
      running_(running),
      stopped_(stopped),
      next_user_(DeviceReplay::next_user(view, decision)),
      slices_(decision.slices.size()) {
  unfinished_.failed_on.resize(machine.devices.size());
}

std::vector<SliceReport> Conductor::reports() const {
  std::vector<SliceReport> reports;
  for (const Slice& slice : slices_)
    if (slice.status) reports.push_back(slice.report);
  return reports;
}

const domain::RangeSet& Conductor::joined(std::size_t root) const {
  static const domain::RangeSet nothing;
  return decision_.whole ? nothing : decision_.merge.joined[root];
}

bool Conductor::is_replayed(std::size_t root) const {
  return !decision_.whole && decision_.merge.per_root[root] == domain::Rung::kernel;
}

Device& Conductor::port_of(std::uint32_t device) const {
  return launch_.part != nullptr ? *launch_.part : *machine_.devices[device];
}

bool Conductor::merges(const SliceWork& slice) const {
  return device_replay_ != nullptr && slice.device == device_replay_->device();
}

domain::RangeSet Conductor::needed_by(const SliceWork& slice, std::size_t root) const {
  domain::RangeSet needed = is_replayed(root) ? slice.touches->roots[root].reads : slice.touches->needed[root];
  if (merges(slice)) needed.add(device_replay_->needed(root));
  return needed;
}

MoveNeeds Conductor::needs() const {
  MoveNeeds needs;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    Storage* root = view_.roots()[r].get();
    for (const SliceWork& slice : decision_.slices) {
      domain::RangeSet needed = needed_by(slice, r);
      // Rungs 3 and 4: the same pre-image everywhere.
      if (!joined(r).empty() && !is_replayed(r)) needed.add(slice.touches->roots[r].may_write.intersection(joined(r)));
      const bool in_place = space_of(machine_, slice.device) == domain::kHostSpace;
      if (!needed.empty()) needs.push_back({root, in_place ? MoveNeed::kHost : slice.device, std::move(needed)});
    }
    domain::RangeSet on_host;
    if (!device_replay_ || !is_replayed(r)) on_host = joined(r);
    if (!device_replay_ && !decision_.whole) on_host.add(Replay::loads(launch_, view_, decision_, r));
    if (!on_host.empty()) needs.push_back({root, MoveNeed::kHost, std::move(on_host)});
  }
  return needs;
}

Status Conductor::begin_joining() {
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    if (is_replayed(r) && !replay_) replay_ = std::make_unique<Replay>(machine_, launch_, view_, decision_);
    if (joined(r).empty() || is_replayed(r)) continue;
    joinings_.push_back(std::make_unique<Joining>(machine_, *view_.roots()[r], r, decision_.merge));
    if (auto status = joinings_.back()->begin(); !status) return status;
  }
  if (!replay_) return {};
  return replay_->begin(device_replay_ ? device_replay_->elsewhere() : std::vector<domain::RangeSet>());
}

bool Conductor::in_place_conflict(const MovePlan& moves) const {
  for (const SliceWork& slice : decision_.slices) {
    if (space_of(machine_, slice.device) != domain::kHostSpace) continue;
    for (std::size_t r = 0; r < view_.roots().size(); ++r)
      if (moves.upload_sources(view_.roots()[r].get()).intersects(slice.touches->roots[r].may_write)) return true;
  }
  return false;
}

void Conductor::submit_uploads_first(MovePlan& moves) {
  BatchGroup group;
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const std::uint32_t device = decision_.slices[i].device;
    auto ops = moves.upload_ops(device);
    if (!ops) {
      fail(i, ops.error(), judge(ops.error().code, false));
      continue;
    }
    if (ops->empty()) continue;
    Batch batch;
    batch.ops = std::move(*ops);
    batch.want_times = wants_times(machine_);
    const std::uint64_t bytes = moves.upload_bytes(device);
    group.submit(port_of(device), std::move(batch), [this, i, device, bytes](const BatchResult& result) {
      if (result.status != CL_SUCCESS) return fail(i, result);
      try {
        TransferReport report{device, bytes, 0, 0, 0, launch_.kernel->traits().name};
        if (!result.times.empty()) {
          report.start = result.times.front().start;
          report.end = result.times.back().end;
        }
        machine_.observer->transfer(report);
      } catch (const std::bad_alloc&) {  // only the report is lost
      }
    });
  }
  (void)group.wait();  // each failure is its slice's
}

bool Conductor::marks_first_use(std::uint32_t device, const domain::GroupSpan& span) {
  const bool first = is_first_use(launch_, view_, device, span);
  mark_used(launch_, view_, device, span);
  if (!first) return false;
  const MutexGuard lock(mutex_);
  first_uses_ |= std::uint64_t{1} << device;
  return true;
}

Result<Conductor::Prepared> Conductor::prepare(MovePlan& moves, BatchGroup& group, bool with_uploads,
                                               std::size_t index) {
  const SliceWork& slice = decision_.slices[index];
  Prepared prepared{index};
  Batch& batch = prepared.batch;
  batch.want_times = wants_times(machine_);
  if (with_uploads) {
    auto ops = moves.upload_ops(slice.device);
    if (!ops) return ops.error();
    batch.ops = std::move(*ops);
    prepared.upload_bytes = moves.upload_bytes(slice.device);
  }
  if (auto status = add_runs(moves, group, prepared); !status) return status.error();
  return prepared;
}

Result<Stoppable> Conductor::how_to_stop(const SliceWork& slice, NativeKernel& kernel) const {
  const SavedGroups* const saved = begun_of(slice).saved.get();
  if (gives_way_ == GivesWay::no && saved == nullptr) return Stoppable{};
  const Stoppable how = stoppable(machine_, launch_, view_, slice.device, slice.span);
  if (how.form != StopForm::item && saved == nullptr) return how;
  bool joins = false;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) joins = joins || !joined(r).empty();
  return settled(machine_, launch_, slice.device, slice.span, kernel, saved, joins);
}

const StoppedSpan& Conductor::begun_of(const SliceWork& slice) const {
  static const StoppedSpan nothing;
  return &slice == &decision_.slices.front() ? stopped_ : nothing;
}

Status Conductor::add_runs(MovePlan& moves, BatchGroup& group, Prepared& prepared) {
  const std::size_t index = prepared.index;
  const SliceWork& slice = decision_.slices[index];
  Batch& batch = prepared.batch;
  const std::size_t uploads = batch.ops.size();
  auto call = native_call(machine_, launch_, slice.device);
  if (!call) return call.error();
  if (Status checked = may_be_checked(slice); !checked) return checked;
  const bool left = is_left(slice);
  auto given = left ? Result<Stoppable>(Stoppable{}) : how_to_stop(slice, *call->kernel);
  if (!given) return given.error();
  const Stoppable& how = *given;
  if (how.why_not) preempted_.why_not = how.why_not;
  if (how.form != StopForm::none) {
    add_first_piece(moves, group, prepared, how, std::move(*call));
    return {};
  }
  if (running_ != nullptr) slices_[index].told = running_->add(slice.device, slice.span.size(), nullptr);
  if (left)
    append_left(slice, *call, slices_[index], batch.ops);
  else if (auto status = append_runs(launch_, view_, slice, *call, batch.ops); !status)
    return status;
  batch.want_times = batch.want_times || wants_pace(machine_, launch_, view_, slice.device);
  const bool first = batch.first_use = marks_first_use(slice.device, slice.span);
  prepared.done = [this, &moves, &slice, index, uploads, bytes = prepared.upload_bytes,
                   first](const BatchResult& result) {
    SliceReport report{slice.device, slice.span, 0, 0};
    try {
      report = account(machine_, launch_, view_.shape(), slice, uploads, bytes, first, result);
    } catch (const std::bad_alloc&) {  // only the report is lost
    }
    if (report.start != 0) event_.work_started(report.start);
    // The failure is told first: run(), which counts on the uploads at that moment, either sees it, or has done so
    // before they are withdrawn here.
    slice_ended(index, uploads, result);
    if (result.status != CL_SUCCESS) moves.revoke_uploads(slice.device);
    if (rebalancing_ != nullptr && result.status != CL_SUCCESS) rebalancing_->give_up();
    if (rebalancing_ != nullptr) rebalancing_->ended(index, report, first);
    const MutexGuard lock(mutex_);
    slices_[index].report = report;
  };
  return {};
}

void Conductor::slice_ended(std::size_t index, std::size_t uploads, const BatchResult& result) {
  if (result.ended_itself) event_.end_itself();
  {
    const MutexGuard lock(mutex_);
    if (result.trapped && !trapped_) trapped_ = result.trapped;
    if (result.left) slices_[index].begun = result.left->groups;
    slices_[index].ran = slices_[index].ran || result.accepted > uploads;
    if (index == 0 && result.accepted >= uploads) unfinished_.reached_first = true;
  }
  if (result.status != CL_SUCCESS) fail(index, result);
}

void Conductor::fail(std::size_t index, const BatchResult& result) noexcept {
  domain::Error error{result.status, {}};
  try {
    error.reason = result.reason;
  } catch (const std::bad_alloc&) {  // the code will do
  }
  fail(index, std::move(error), result.fault);
}

void Conductor::fail(std::size_t index, domain::Error error, Fault fault) {
  const MutexGuard lock(mutex_);
  if (!slices_[index].status) return;
  slices_[index].status = std::move(error);
  slices_[index].fault = fault;
  unfinished_.fault = std::max(unfinished_.fault, fault);
  unfinished_.failed_on[decision_.slices[index].device] = true;
}

Status Conductor::fail_all(const domain::Error& error, Fault fault) {
  for (const SliceWork& slice : decision_.slices) unfinished_.spans.push_back(slice.span);
  unfinished_.fault = fault;
  return error;
}

void Conductor::submit(MovePlan& moves, BatchGroup& group) {
  const bool uploads_first = moves.uploads() && in_place_conflict(moves);
  if (uploads_first) submit_uploads_first(moves);
  std::vector<Prepared> prepared;
  prepared.reserve(slices_.size());
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    if (!slices_[i].status) continue;
    if (auto one = prepare(moves, group, !uploads_first, i))
      prepared.push_back(std::move(*one));
    else
      fail(i, one.error(), judge(one.error().code, false));
  }
  if (rebalancing_ != nullptr) rebalancing_->begin();
  const auto submit_one = [&](std::size_t i) {
    Prepared& one = prepared[i];
    try {
      group.submit(port_of(decision_.slices[one.index].device), std::move(one.batch), std::move(one.done));
    } catch (const std::bad_alloc&) {  // it was not submitted
      if (slices_[one.index].pieces) slices_[one.index].pieces->failed();
      fail(one.index, {CL_OUT_OF_HOST_MEMORY, {}}, Fault::memory);
    }
  };
  // Submitting many bytes takes long, in the driver or in our own threads: slices with few uploads come first, and all
  // links are used at once.
  std::stable_sort(prepared.begin(), prepared.end(),
                   [](const Prepared& a, const Prepared& b) { return a.upload_bytes < b.upload_bytes; });
  const auto many = std::count_if(prepared.begin(), prepared.end(),
                                  [](const Prepared& one) { return one.upload_bytes >= kMuchUploaded; });
  if (many > 1)
    host_threads(submit_one, prepared.size());
  else
    for (std::size_t i = 0; i < prepared.size(); ++i) submit_one(i);
  // Behind uploads there is one piece: where they fail, no other is to run without them.
  for (std::size_t i = 0; i < slices_.size(); ++i)
    if (slices_[i].pieces && !slices_[i].has_uploads) submit_pieces(moves, group, i);
}

Result<MovePlan> Conductor::gather() {
  const char* const name = launch_.kernel->traits().name.c_str();
  device_replay_ = DeviceReplay::plan(machine_, launch_, view_, decision_, next_user_);
  const auto moves = [&] {
    return MovePlan::gathered(
        machine_, [this] { return needs(); }, name);
  };
  auto made = moves();
  if (device_replay_ == nullptr || (made && device_replay_->keep())) return made;
  device_replay_.reset();
  return moves();
}

bool Conductor::is_one_in_pieces() const { return slices_.size() == 1 && slices_.front().pieces != nullptr; }

Status Conductor::run() {
  const std::uint64_t begin = host_now();
  Status status = carry_out();
  // Of a launch on one device the application sees the kernel's own time, as without pieces.
  const bool own_time = is_one_in_pieces() && slices_.front().report.start != 0;
  event_.work_started(own_time ? slices_.front().report.start : begin);
  event_.work_ended(own_time ? slices_.front().report.end : host_now());
  return status;
}

Status Conductor::carry_out() {
  std::vector<Storage*> roots;
  for (const auto& root : view_.roots()) roots.push_back(root.get());
  std::optional<MoveGuard> guard(std::in_place, roots);
  for (std::size_t i = 0; i < slices_.size(); ++i)
    slices_[i].failures = machine_.devices[decision_.slices[i].device]->health()->failures();
  auto moves = gather();
  if (!moves) return fail_all(moves.error(), Fault::resources);
  if (auto status = begin_joining(); !status) return fail_all(status.error(), Fault::memory);
  event_.advance(CL_RUNNING);
  {
    // Every submitted batch must have ended before anything that it uses is freed.
    BatchGroup group;
    submit(*moves, group);
    // Native queues are in order, so batches that are submitted later may rely on what was submitted.
    moves->commit_uploads();
    {
      const MutexGuard lock(mutex_);
      for (std::size_t i = 0; i < slices_.size(); ++i)
        if (!slices_[i].status) moves->revoke_uploads(decision_.slices[i].device);
    }
    guard.reset();
    (void)group.wait();
  }
  finish_all_pieces();
  check_inputs();
  return settle();
}

}  // namespace skmd::icd
