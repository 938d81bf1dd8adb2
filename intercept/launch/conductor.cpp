// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/conductor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "intercept/launch/native_launch.h"

namespace skmd::icd {

namespace {

domain::SpaceId space_of(const Machine& machine, std::uint32_t device) {
  return machine.devices[device]->description().space;
}

}  // namespace

Conductor::Conductor(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision,
                     Event& event)
    : machine_(machine),
      launch_(launch),
      view_(view),
      decision_(decision),
      event_(event),
      slices_(decision.slices.size()) {}

const domain::RangeSet& Conductor::joined(std::size_t root) const {
  static const domain::RangeSet nothing;
  return decision_.whole ? nothing : decision_.merge.joined[root];
}

std::vector<MoveNeed> Conductor::needs() const {
  std::vector<MoveNeed> needs;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    Storage* root = view_.roots()[r].get();
    for (const SliceWork& slice : decision_.slices) {
      domain::RangeSet needed = slice.touches->needed[r];
      // Rungs 3 and 4: the same pre-image everywhere.
      if (!joined(r).empty()) needed.add(slice.touches->roots[r].may_write.intersection(joined(r)));
      const bool in_place = space_of(machine_, slice.device) == domain::kHostSpace;
      if (!needed.empty()) needs.push_back({root, in_place ? MoveNeed::kHost : slice.device, std::move(needed)});
    }
    if (!joined(r).empty()) needs.push_back({root, MoveNeed::kHost, joined(r)});
  }
  return needs;
}

Status Conductor::begin_joining() {
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    if (joined(r).empty()) continue;
    joinings_.push_back(std::make_unique<Joining>(machine_, *view_.roots()[r], r, decision_.merge));
    if (auto status = joinings_.back()->begin(); !status) return status;
  }
  return {};
}

bool Conductor::in_place_conflict(const MovePlan& moves) const {
  for (const SliceWork& slice : decision_.slices) {
    if (space_of(machine_, slice.device) != domain::kHostSpace) continue;
    for (std::size_t r = 0; r < view_.roots().size(); ++r)
      if (moves.upload_sources(view_.roots()[r].get()).intersects(slice.touches->roots[r].may_write)) return true;
  }
  return false;
}

Status Conductor::submit_uploads_first(MovePlan& moves) {
  BatchGroup group;
  for (const SliceWork& slice : decision_.slices) {
    auto ops = moves.upload_ops(slice.device);
    if (!ops) return ops.error();
    if (ops->empty()) continue;
    Batch batch;
    batch.ops = std::move(*ops);
    batch.want_times = wants_times(machine_);
    const std::uint64_t bytes = moves.upload_bytes(slice.device);
    group.submit(*machine_.devices[slice.device], std::move(batch),
                 [this, device = slice.device, bytes](const BatchResult& result) {
                   TransferReport report{device, bytes, 0, 0, 0, launch_.kernel->traits().name};
                   if (!result.times.empty()) {
                     report.start = result.times.front().start;
                     report.end = result.times.back().end;
                   }
                   machine_.observer->transfer(report);
                 });
  }
  return group.wait();
}

Status Conductor::submit_device(MovePlan& moves, bool with_uploads, const SliceWork& slice, BatchGroup& group) {
  Batch batch;
  batch.want_times = wants_times(machine_);
  std::uint64_t bytes = 0;
  if (with_uploads) {
    auto ops = moves.upload_ops(slice.device);
    if (!ops) return ops.error();
    batch.ops = std::move(*ops);
    bytes = moves.upload_bytes(slice.device);
  }
  const std::size_t uploads = batch.ops.size();
  auto arguments = native_arguments(machine_, launch_, slice.device);
  if (!arguments) return arguments.error();
  if (auto status = append_runs(launch_, slice.device, *arguments, slice.span, batch.ops); !status)
    return status.error();
  const auto index = static_cast<std::size_t>(&slice - decision_.slices.data());
  const bool first = first_use(launch_, slice.device, slice.span);
  group.submit(*machine_.devices[slice.device], std::move(batch),
               [this, index, uploads, bytes, first](const BatchResult& result) {
                 const SliceReport report =
                     account(machine_, launch_, decision_.slices[index], uploads, bytes, first, result);
                 if (report.start != 0) event_.work_started(report.start);
                 const std::lock_guard lock(mutex_);
                 slices_[index] = report;
               });
  return {};
}

Status Conductor::submit(MovePlan& moves, BatchGroup& group) {
  const bool uploads_first = moves.uploads() && in_place_conflict(moves);
  if (uploads_first)
    if (auto status = submit_uploads_first(moves); !status) return status;
  // Devices that compute asynchronously first: a driver that runs inside enqueue has a thread of its own all the same.
  for (const SliceWork& slice : decision_.slices)
    if (auto status = submit_device(moves, !uploads_first, slice, group); !status) return status;
  return {};
}

void Conductor::commit() {
  for (const SliceWork& slice : decision_.slices)
    for (std::size_t r = 0; r < view_.roots().size(); ++r)
      commit_slice(machine_, view_, slice, r, slice.touches->roots[r].may_write.difference(joined(r)));
}

Status Conductor::finish_joining() {
  for (const auto& joining : joinings_)
    if (auto status = joining->finish(decision_.slices, launch_.kernel->traits().name); !status) return status;
  return {};
}

void Conductor::abandon(MovePlan& moves) {
  moves.revoke_uploads();
  for (const auto& joining : joinings_) joining->restore();
  for (const SliceWork& slice : decision_.slices) {
    const domain::SpaceId space = space_of(machine_, slice.device);
    for (std::size_t r = 0; r < view_.roots().size(); ++r) {
      domain::RangeSet written = slice.touches->roots[r].may_write;
      if (!written.empty()) written.remove(view_.roots()[r]->write_mapped());
      if (space == domain::kHostSpace) written.remove(joined(r));  // restored
      if (written.empty()) continue;
      Storage& root = *view_.roots()[r];
      const std::lock_guard lock(root.mutex());
      domain::ResidencyMap& residency = root.residency();
      if (residency.valid_only(space, written).intersects(view_.whole().needed[r])) inputs_intact_ = false;
      residency.withdrawn(space, written);
      // Bytes that are undefined are zero in the shadow, always.
      if (space == domain::kHostSpace) residency.written(space, residency.undefined(written));
    }
  }
}

Status Conductor::run() {
  const std::uint64_t begin = now_ns();
  event_.work_started(begin);
  BatchGroup group;
  std::vector<Storage*> roots;
  for (const auto& root : view_.roots()) roots.push_back(root.get());
  std::optional<MoveGuard> guard(std::in_place, roots);
  MovePlan moves = MovePlan::make(machine_, needs());
  if (auto status = moves.gather(launch_.kernel->traits().name.c_str()); !status) return status;
  if (auto status = begin_joining(); !status) return status;
  event_.advance(CL_RUNNING);
  Status status = submit(moves, group);
  // Native queues are in order, so what was submitted may be counted on by whatever is submitted later.
  if (status) {
    moves.commit_uploads();
    guard.reset();
  }
  // Whatever was submitted must have ended before anything it uses may go.
  if (const Status ended = group.wait(); status && !ended) status = ended;
  if (!status) {
    abandon(moves);
    return status;
  }
  commit();
  if (status = finish_joining(); !status) {
    abandon(moves);
    return status;
  }
  event_.work_ended(now_ns());
  report_launch(machine_, launch_, decision_, std::move(slices_), begin);
  return {};
}

}  // namespace skmd::icd
