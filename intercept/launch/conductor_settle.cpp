// SPDX-License-Identifier: Apache-2.0
// The end of a split launch: what completed is joined and committed, what did not is withdrawn.
#include "intercept/launch/conductor.h"

#include <algorithm>
#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/launch/account.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

void leave_to_rescue(const std::vector<StoppedSpan>& stopped, Unfinished& unfinished) {
  for (const StoppedSpan& span : stopped)
    if (span.saved == nullptr)
      unfinished.spans.push_back(span.span);
    else
      unfinished.stopped.push_back(span);
}

void Conductor::check_inputs() {
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const SliceWork& slice = decision_.slices[i];
    if (!slices_[i].status || machine_.devices[slice.device]->health()->failures() == slices_[i].failures) continue;
    for (std::size_t r = 0; r < view_.roots().size(); ++r)
      if (!still_valid(machine_, *view_.roots()[r], slice.device, needed_by(slice, r)))
        fail(i, {CL_OUT_OF_RESOURCES, "bytes that the groups read never reached the device"}, Fault::resources);
  }
}

void Conductor::join_failures() {
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    if (joined(r).empty()) continue;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      if (slices_[i].status) continue;
      const domain::SpaceId space = space_of(machine_, decision_.slices[i].device);
      for (std::size_t j = 0; j < slices_.size(); ++j)
        if (slices_[j].status && space_of(machine_, decision_.slices[j].device) == space)
          slices_[j].status = slices_[i].status;
    }
  }
}

Status Conductor::finish_joining(const std::vector<SliceWork>& completed) {
  for (const auto& joining : joinings_)
    if (auto status = joining->finish(completed, launch_.kernel->traits().name); !status) return status;
  return replay_ ? finish_replay(completed) : Status();
}

Status Conductor::finish_replay(const std::vector<SliceWork>& completed) {
  if (!device_replay_) return replay_->finish(completed);
  if (completed.size() == slices_.size() && device_replay_->finish(completed)) return {};
  if (Status status = device_replay_->retreat(completed); !status) return status;
  return replay_->finish(completed, device_replay_->take_aside());
}

void Conductor::add_completed(std::size_t index, std::vector<SliceWork>& completed) {
  const SliceWork& slice = decision_.slices[index];
  if (slices_[index].saved != nullptr) {
    completed.push_back(slice);
    if (slices_[index].begun < slice.span.size()) {
      completed.back().span.last = slice.span.first + slices_[index].begun;
      completed.back().touches = view_.shape().footprint(completed.back().span);
    }
    // Of one that goes on with items, everything has ended.
    if (stopped_.saved == nullptr) add_left(slice, slices_[index]);
    return;
  }
  const SlicePieces* pieces = slices_[index].pieces.get();
  if (pieces == nullptr || pieces->left().empty()) {
    completed.push_back(slice);
    return;
  }
  for (const domain::GroupSpan& span : pieces->done()) {
    completed.push_back(slice);
    completed.back().span = span;
    completed.back().touches = view_.shape().footprint(span);
  }
  for (const domain::GroupSpan& span : pieces->left()) unfinished_.stopped.push_back({span, slice.device});
  if (pieces->begun().size() == 0) return;
  // A device that ends launches inside of groups has one piece at a time, and one span is left of it.
  unfinished_.stopped.back().saved = pieces->saved();
  unfinished_.stopped.back().begun = pieces->begun();
  begun_.push_back(slice);
  begun_.back().span = pieces->begun();
  begun_.back().touches = view_.shape().footprint(pieces->begun());
}

void Conductor::commit(const std::vector<SliceWork>& completed) {
  for (const SliceWork& slice : completed) commit(slice);
  // Bytes that they did not write yet are the old ones where these matter, which the device was sent.
  for (const SliceWork& slice : begun_) commit(slice);
}

void Conductor::commit(const SliceWork& slice) {
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    const domain::RangeSet written = slice.touches->roots[r].may_write.difference(joined(r));
    if (written.empty()) continue;
    Storage& root = *view_.roots()[r];
    const MutexGuard lock(root.mutex());
    commit_written(root, machine_.devices[slice.device]->description().space, written);
  }
}

void Conductor::abandon() {
  std::vector<domain::RangeSet> wanted(view_.roots().size());
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    if (slices_[i].status) continue;
    unfinished_.spans.push_back(decision_.slices[i].span);
    for (std::size_t r = 0; r < wanted.size(); ++r) wanted[r].add(decision_.slices[i].touches->needed[r]);
  }
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    if (slices_[i].status || !slices_[i].ran) continue;
    const SliceWork& slice = decision_.slices[i];
    const domain::SpaceId space = space_of(machine_, slice.device);
    for (std::size_t r = 0; r < view_.roots().size(); ++r) {
      domain::RangeSet written = slice.touches->roots[r].may_write;
      if (merges(slice) && is_replayed(r)) written.add(joined(r));  // merge kernels may have begun
      if (!written.empty()) written.remove(view_.roots()[r]->write_mapped());
      if (space == domain::kHostSpace) written.remove(joined(r));  // restored
      if (written.empty()) continue;
      Storage& root = *view_.roots()[r];
      const MutexGuard lock(root.mutex());
      domain::ResidencyMap& residency = root.residency();
      if (residency.valid_only(space, written).intersects(wanted[r])) unfinished_.inputs_intact = false;
      residency.withdrawn(space, written);
      // Bytes that are undefined are zero in the shadow, always.
      if (space == domain::kHostSpace) residency.written(space, residency.undefined(written));
    }
  }
}

void Conductor::give_back_old() {
  // Where that fails, the old contents that the groups need are lost with the device.
  if (device_replay_) (void)device_replay_->retreat({});
}

void Conductor::restore() {
  for (const auto& joining : joinings_) joining->restore();
  if (replay_) replay_->restore();
}

Status Conductor::settle() {
  join_failures();
  std::vector<SliceWork> completed;
  Status failure;
  bool failed_in_place = false;
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    if (slices_[i].status) {
      add_completed(i, completed);
      continue;
    }
    if (failure) failure = slices_[i].status;
    failed_in_place = failed_in_place || space_of(machine_, decision_.slices[i].device) == domain::kHostSpace;
  }
  if (failed_in_place) restore();
  if (completed.empty()) {
    give_back_old();
  } else {
    if (Status merged = finish_joining(completed); !merged) {
      give_back_old();
      restore();
      for (Slice& slice : slices_) slice.status = merged;
      unfinished_.stopped.clear();
      unfinished_.fault = std::max(unfinished_.fault, judge(merged.error().code, false));
      failure = std::move(merged);
      completed.clear();
    }
  }
  commit(completed);
  if (!failure) abandon();
  return failure;
}

}  // namespace skmd::icd
