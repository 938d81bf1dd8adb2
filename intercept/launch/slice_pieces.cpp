// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/slice_pieces.h"

#include <algorithm>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/preemption.h"
#include "intercept/launch/running_constants.h"
#include "intercept/object/kernel.h"
#include "partitioner/plan/rebalance_constants.h"

namespace skmd::icd {

using namespace tuning;

namespace {

PreemptForm reported(StopForm form) {
  if (form == StopForm::item) return PreemptForm::item;
  return form == StopForm::group ? PreemptForm::group : PreemptForm::cut;
}

std::shared_ptr<SavedGroups> store_of(StopForm form, std::shared_ptr<SavedGroups> given) {
  return form == StopForm::item && given == nullptr ? std::make_shared<SavedGroups>() : std::move(given);
}

}  // namespace

SlicePieces::SlicePieces(Machine& machine, const Launch& launch, const LaunchView& view, const SliceWork& slice,
                         const Stoppable& how, NativeCall call, bool may_stop, const StoppedSpan& stopped,
                         const std::function<bool()>& wanted)
    : machine_(machine),
      launch_(launch),
      view_(view),
      slice_(slice),
      form_(how.form),
      points_(how.points),
      together_(how.together),
      call_(std::move(call)),
      may_stop_(may_stop),
      least_(least_piece(machine, launch, slice.device)),
      token_(std::make_shared<StopToken>(wanted)),
      counted_(machine.long_slices[slice.device]),
      sequence_(slice.span),
      saved_(store_of(how.form, stopped.saved)),
      before_(saved_ != nullptr ? saved_->counts() : SavedGroups::Counts{}),
      begun_groups_(stopped.begun) {
  report_.device = slice.device;
  report_.span = slice.span;
  report_.predicted_seconds = slice.predicted_seconds;
}

domain::PieceRule SlicePieces::rule() const {
  const PreemptSettings& settings = machine_.settings.preempt;
  domain::PieceRule rule;
  if (form_ >= StopForm::group) return rule;  // it ends by itself when it has to
  rule.piece_seconds = settings.seconds / 2;
  if (settings.test)
    rule.piece_seconds = std::min(rule.piece_seconds, static_cast<double>(settings.test->nanoseconds) * 0.5e-9);
  rule.group_seconds = warm_.groups != 0
                           ? static_cast<double>(warm_.nanoseconds) * 1e-9 / static_cast<double>(warm_.groups)
                           : view_.shape().paces().group_seconds(slice_.device, launch_.range);
  rule.granularity = domain::row_of_groups(launch_.range);
  rule.least = least_;
  return rule;
}

bool SlicePieces::may_wait() const { return (launch_.kernel->traits().facts & domain::kFactSpinning) != 0; }

std::uint64_t SlicePieces::quantum() const {
  const PreemptSettings& settings = machine_.settings.preempt;
  auto most = static_cast<std::uint64_t>(settings.seconds * 0.5e9);
  if (may_wait()) most = std::min(most, kWaitingQuantumNs);
  return settings.test ? std::min(most, settings.test->nanoseconds) : most;
}

std::optional<domain::GroupSpan> SlicePieces::begin(std::vector<Op>& ops) {
  const MutexGuard lock(mutex_);
  if (!begun_ && may_stop_ && machine_.settings.preempt.test) {
    const std::uint64_t mean = machine_.settings.preempt.test->nanoseconds;
    token_->request_at(host_now() + test_random(*machine_.settings.preempt.test) % (2 * mean));
  }
  const std::uint32_t most = form_ >= StopForm::group ? 1 : domain::PieceSequence::kUnderWay;
  if (sequence_.under_way() >= most) return std::nullopt;
  if (begun_ && token_->requested()) stop();
  const std::size_t before = ops.size();
  const auto piece = sequence_.next(rule());
  if (!piece) return std::nullopt;
  // Groups that are stopped inside keep what they know of their place: it is told in the same way wherever they run.
  append_span(launch_, call_, form_ == StopForm::item ? domain::GroupSpan{0, launch_.range.group_total()} : *piece,
              ops);
  if (form_ >= StopForm::group) {
    for (std::size_t i = before; i < ops.size(); ++i) {
      auto& run = std::get<RunOp>(ops[i]);
      if (may_stop_) run.stop = token_;
      run.saved = saved_;
      if (form_ == StopForm::item) run.groups = *piece;
      run.groups_wait = may_wait();
      run.quantum_ns = quantum();
    }
  }
  sequence_.begin(*piece);
  begun_ = true;
  return piece;
}

void SlicePieces::stop() {
  sequence_.stop();
  if (stop_ns_ == 0 && sequence_.under_way() == 0 && !sequence_.left().empty())
    stop_ns_ = std::max<std::uint64_t>(1, host_now() - token_->since());
}

domain::GroupSpan SlicePieces::ended(const domain::GroupSpan& piece, std::size_t uploads, const BatchResult& result) {
  std::uint64_t ran = piece.size();
  if (result.left) {
    std::vector<domain::Box> boxes;
    if (form_ != StopForm::item) domain::boxes_of(piece, launch_.range.group_counts(), boxes);
    ran = result.left->groups;
    for (std::size_t i = 0; i + uploads < result.left->op; ++i) ran += boxes[i].size();
  }
  const MutexGuard lock(mutex_);
  // Groups that began in an earlier piece may wait behind those that this one came to.
  const std::uint64_t first = piece.first + ran;
  const std::uint64_t now = result.left ? first + result.left->begun - result.left->groups : first;
  begun_groups_ = {first, std::max({first, now, begun_groups_.last})};
  sequence_.ended(piece, ran);
  if (token_->requested()) stop();
  return {piece.first, piece.first + ran};
}

void SlicePieces::add(const SliceReport& piece, bool first_use) {
  const MutexGuard lock(mutex_);
  if (!first_use && piece.run_ns != 0) {
    warm_.groups += piece.span.size();
    warm_.nanoseconds += piece.run_ns;
  }
  // Other forms tell it themselves, as they go.
  if (form_ == StopForm::cut)
    token_->ran(piece.span.size(), !first_use && piece.run_ns != 0 ? piece.span.size() : 0, warm_.nanoseconds);
  if (piece.start != 0) report_.start = report_.start == 0 ? piece.start : std::min(report_.start, piece.start);
  report_.end = std::max(report_.end, piece.end);
  report_.run_ns += piece.run_ns;
  report_.upload_bytes += piece.upload_bytes;
  report_.upload_ns += piece.upload_ns;
}

SliceReport SlicePieces::report() const {
  SliceReport report = report_;
  std::uint64_t groups = 0;
  for (const domain::GroupSpan& span : sequence_.done()) groups += span.size();
  report.span.last = report.span.first + groups;
  return report;
}

void SlicePieces::failed() {
  const MutexGuard lock(mutex_);
  sequence_.stop();
}

bool SlicePieces::over() const {
  const MutexGuard lock(mutex_);
  return sequence_.under_way() == 0;
}

bool SlicePieces::complete() const { return sequence_.under_way() == 0 && sequence_.covers(slice_.span); }

void SlicePieces::teach(bool slow) const {
  const auto point = [&]() -> const domain::Point& { return view_.shape().point(launch_); };
  const bool first = warm_.groups == 0;
  std::uint64_t groups = 0;
  for (const domain::GroupSpan& span : sequence_.done()) groups += span.size();
  domain::GroupSpan span{0, first ? groups : warm_.groups};
  std::uint64_t nanoseconds = first ? report_.run_ns : warm_.nanoseconds;
  if (!first)
    view_.shape().paces().learn(slice_.device, launch_.range, warm_.groups, warm_.nanoseconds,
                                form_ == StopForm::item ? Paces::Code::inside : Paces::Code::own);
  if (slow && !first && warm_.groups >= domain::tuning::kTellingGroups && span.size() < slice_.span.size()) {
    // A short span that is slow would be taken for slow because it is short.
    nanoseconds = static_cast<std::uint64_t>(static_cast<double>(nanoseconds) / static_cast<double>(span.size()) *
                                             static_cast<double>(slice_.span.size()));
    span.last = slice_.span.size();
  }
  if (nanoseconds != 0)
    machine_.model->learn({launch_.kernel->id(), slice_.device, launch_.range, span, nanoseconds, first, point});
}

PreemptReport SlicePieces::told(bool ended_well) const {
  PreemptReport told;
  told.form = reported(form_);
  told.points = points_;
  if (!ended_well) return told;
  if (saved_ != nullptr) {
    const SavedGroups::Counts now = saved_->counts();
    told.saved_groups = now.saved - before_.saved;
    told.resumed_items =
        (now.resumed - before_.resumed) * launch_.range.local[0] * launch_.range.local[1] * launch_.range.local[2];
    (together_ ? told.resumed_together : told.resumed_apart) = now.resumed - before_.resumed;
    told.state_bytes = now.state_bytes;
  }
  for (const domain::GroupSpan& span : sequence_.left()) told.never_ran_groups += span.size();
  told.never_ran_groups -= begun_groups_.size();
  if (!sequence_.left().empty()) told.stop_ns.push_back(stop_ns_);
  return told;
}

}  // namespace skmd::icd
