// SPDX-License-Identifier: Apache-2.0
// Slices that give way while they run: each piece's end submits the next.
#include <new>
#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/launch/account.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

std::function<bool()> Conductor::wanted_by(StopForm form) {
  if (wanted_ && form == StopForm::item) return wanted_;
  // Groups that are joined with others' run to their ends where merge functions do it.
  if (!divides_anew_ || gives_way_ == GivesWay::no || replay_ != nullptr || wanted_) return {};
  if (!std::exchange(asked_to_divide_, true))
    rebalancing_ = Rebalancing::of(machine_, launch_, view_, decision_, *divides_anew_);
  if (rebalancing_ == nullptr) return {};
  return [rebalancing = rebalancing_.get()] { return rebalancing->wanted(); };
}

void Conductor::add_first_piece(MovePlan& moves, BatchGroup& group, Prepared& prepared, const Stoppable& how,
                                NativeCall call) {
  const std::size_t index = prepared.index;
  const SliceWork& slice = decision_.slices[index];
  Slice& made = slices_[index];
  Batch& batch = prepared.batch;
  const std::size_t uploads = batch.ops.size();
  if (wants_pace(machine_, launch_, view_, slice.device)) view_.shape().paces().tried(slice.device, launch_.range);
  made.pieces = std::make_unique<SlicePieces>(machine_, launch_, view_, slice, how, std::move(call), replay_ == nullptr,
                                              begun_of(slice), wanted_by(how.form));
  const auto token = gives_way_ == GivesWay::yes ? made.pieces->token() : nullptr;
  if (running_ != nullptr) made.told = running_->add(slice.device, slice.span.size(), token);
  if (rebalancing_ != nullptr) rebalancing_->watch(index, token, how.form);
  made.has_uploads = uploads != 0;
  const auto piece = made.pieces->begin(batch.ops);
  batch.first_use = marks_first_use(slice.device, *piece);
  batch.want_times = true;
  prepared.done = end_of_piece(moves, group, index, {*piece, uploads, prepared.upload_bytes, batch.first_use});
}

std::function<void(const BatchResult&)> Conductor::end_of_piece(MovePlan& moves, BatchGroup& group, std::size_t index,
                                                                const Piece& piece) {
  return [this, &moves, &group, index, piece](const BatchResult& result) {
    piece_ended(moves, group, index, piece, result);
  };
}

void Conductor::piece_ended(MovePlan& moves, BatchGroup& group, std::size_t index, const Piece& piece,
                            const BatchResult& result) noexcept {
  SlicePieces& pieces = *slices_[index].pieces;
  const std::uint32_t device = decision_.slices[index].device;
  if (result.status != CL_SUCCESS) {
    pieces.failed();
    slice_ended(index, piece.uploads, result);
    moves.revoke_uploads(device);
    if (rebalancing_ != nullptr) rebalancing_->give_up();
    return;
  }
  try {
    SliceWork part = decision_.slices[index];
    part.span = pieces.ended(piece.span, piece.uploads, result);
    part.is_chunk = true;
    const SliceReport report =
        account(machine_, launch_, view_.shape(), part, piece.uploads, piece.upload_bytes, piece.first_use, result);
    if (report.start != 0) event_.work_started(report.start);
    pieces.add(report, piece.first_use);
  } catch (const std::bad_alloc&) {  // a report is lost, or finish_pieces() sees that groups are missing
  }
  slice_ended(index, piece.uploads, result);
  submit_pieces(moves, group, index);
  if (rebalancing_ == nullptr) return;
  if (pieces.over())
    rebalancing_->ended(index, {}, true);  // its token has told what there is to tell
  else
    rebalancing_->look();
}

void Conductor::submit_pieces(MovePlan& moves, BatchGroup& group, std::size_t index) noexcept {
  SlicePieces& pieces = *slices_[index].pieces;
  const std::uint32_t device = decision_.slices[index].device;
  for (;;) {
    try {
      Batch batch;
      const auto span = pieces.begin(batch.ops);
      if (!span) return;
      batch.first_use = marks_first_use(device, *span);
      batch.want_times = true;
      group.submit(port_of(device), std::move(batch),
                   end_of_piece(moves, group, index, {*span, 0, 0, batch.first_use}));
    } catch (const std::exception&) {  // bad_alloc: it was not submitted
      pieces.failed();
      return fail(index, {CL_OUT_OF_HOST_MEMORY, {}}, Fault::memory);
    }
  }
}

void Conductor::finish_all_pieces() {
  for (std::size_t i = 0; i < slices_.size(); ++i)
    if (slices_[i].pieces) finish_pieces(i);
  if (rebalancing_ == nullptr || !rebalancing_->asked()) return;
  for (const Slice& slice : slices_)
    if (slice.pieces != nullptr && slice.status)
      for (const domain::GroupSpan& span : slice.pieces->left()) preempted_.rebalanced_groups += span.size();
  if (preempted_.rebalanced_groups == 0) return;  // all had run before they looked
  preempted_.rebalances = 1;
  divided_anew_ = rebalancing_->outcome();
}

void Conductor::finish_pieces(std::size_t index) {
  const SlicePieces& pieces = *slices_[index].pieces;
  Slice& slice = slices_[index];
  slice.report = pieces.report();
  // Each group runs exactly once, also where slices are stopped.
  if (slice.status && !pieces.complete())
    fail(index, {CL_OUT_OF_RESOURCES, "a work-group ran twice or never"}, Fault::resources);
  try {
    preempted_.add(pieces.told(slice.status.ok()));
    const bool divided = rebalancing_ != nullptr && rebalancing_->asked() && !pieces.left().empty();
    if (slice.status) pieces.teach(divided);
  } catch (const std::bad_alloc&) {  // only what is told of it is lost
  }
}

}  // namespace skmd::icd
