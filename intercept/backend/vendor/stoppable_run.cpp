// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/stoppable_run.h"

#include <algorithm>
#include <new>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

using namespace tuning;

namespace {

namespace control = compiler::control;

std::byte* bytes_of(std::vector<std::uint32_t>& words) { return reinterpret_cast<std::byte*>(words.data()); }

domain::RowRun row(std::uint64_t begin, std::uint64_t bytes) { return {begin, bytes, 0, 1}; }

}  // namespace

bool StoppableRun::takes(const std::vector<Op>& ops) {
  const auto stops = [](const Op& op) {
    const auto* run = std::get_if<RunOp>(&op);
    return run != nullptr && run->saved != nullptr;
  };
  return !ops.empty() && stops(ops.back()) && std::count_if(ops.begin(), ops.end(), stops) == 1;
}

StoppableRun::StoppableRun(Batch&& batch, const StoppableKernelCode& code, Native native)
    : batch_(std::move(batch)),
      run_(std::get<RunOp>(batch_.work().back())),
      code_(code),
      native_(std::move(native)),
      layout_(state_layout(code.facts, run_)),
      next_(run_.groups.first),
      fuel_(kFirstFuel),
      times_(batch_.work().size()) {}

Ticket StoppableRun::begin() {
  try {
    next_chunk();
  } catch (const std::bad_alloc&) {
    fail(CL_OUT_OF_HOST_MEMORY, "no memory for groups that can be left");
  }
  return under_way();
}

Ticket StoppableRun::under_way() const {
  const MutexGuard lock(mutex_);
  return ended_ ? 0 : ticket_;
}

// `then` goes on with the result on whichever thread completes the batch.
void StoppableRun::submit(std::vector<Op> ops, std::size_t own, void (StoppableRun::*then)(BatchResult&&)) {
  own_ops_ = own;
  Batch part;
  part.ops = std::move(ops);
  part.want_times = true;
  part.first_use = first_;
  part.done = [self = shared_from_this(), then](BatchResult&& result) {
    try {
      if (result.status != CL_SUCCESS) return self->end(std::move(result));
      ((*self).*then)(std::move(result));
    } catch (const std::bad_alloc&) {
      self->fail(CL_OUT_OF_HOST_MEMORY, "no memory for groups that can be left");
    }
  };
  const Ticket ticket = native_.submit(std::move(part));
  const MutexGuard lock(mutex_);
  ticket_ = std::max(ticket_, ticket);
}

std::uint64_t StoppableRun::group_bytes() const { return std::max<std::uint64_t>(4, layout_.group_words() * 4); }

// For as many groups at a time as the launch has, or as are wanted, or as there is memory for.
bool StoppableRun::make_room() {
  if (capacity_ != 0) return true;
  const std::uint64_t wanted = std::max(kLeastGroups, kStateBytes / group_bytes());
  const std::uint64_t all = std::max<std::uint64_t>(1, run_.groups.size());
  for (std::uint64_t groups = std::min(all, wanted); groups != 0; groups /= 2) {
    auto states = native_.allocate(groups * group_bytes());
    auto words = native_.allocate((control::kGroups + (1 + control::kStages) * groups) * 4);
    if (!states || !words) continue;
    states_ = std::move(*states);
    control_ = std::move(*words);
    capacity_ = groups;
    return true;
  }
  return false;
}

// A new list of groups.
void StoppableRun::next_chunk() {
  if (!make_room()) return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no device memory for groups that can be left");
  const std::uint64_t bytes = group_bytes();
  auto chunk = take_chunk(code_.facts, layout_, run_, next_, capacity_);
  if (!chunk) return fail(chunk.error().code, chunk.error().reason);
  chunk_ = std::move(*chunk);
  if (chunk_.groups.empty()) {
    BatchResult result;
    if (first_ && batch_.work().size() > 1) {  // what comes before the launch is still to be done
      std::vector<Op> ops(batch_.work().begin(), batch_.work().end() - 1);
      first_ = false;
      const std::size_t own = ops.size();
      return submit(std::move(ops), own, &StoppableRun::end);
    }
    return end(std::move(result));
  }
  const std::uint64_t groups = chunk_.groups.size();
  std::vector<Op> ops;
  if (first_) ops.assign(batch_.work().begin(), batch_.work().end() - 1);
  const std::size_t own = ops.size();
  ops.emplace_back(FillOp{states_, std::vector<std::byte>(4), 0, groups * bytes});
  if (!chunk_.begun.words.empty()) {
    const std::uint64_t begin = chunk_.begun.first * bytes;
    ops.emplace_back(WriteOp{states_, bytes_of(chunk_.begun.words) - begin, row(begin, chunk_.begun.words.size() * 4)});
  }
  chunk_.control[control::kQuantum] =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(run_.quantum_ns / kClockUnitNs, 1, UINT32_MAX));
  chunk_.control[control::kFuel] = fuel_;
  chunk_.control[control::kRun] = 1;
  ops.emplace_back(WriteOp{control_, bytes_of(chunk_.control), row(0, chunk_.control.size() * 4)});
  submit_launch(std::move(ops), own);
}

void StoppableRun::run_again() {
  chunk_.control[control::kLeft] = 0;
  chunk_.control[control::kStart] = 0;
  chunk_.control[control::kFuel] = fuel_;
  ++chunk_.control[control::kRun];
  std::vector<Op> ops;
  ops.emplace_back(WriteOp{control_, bytes_of(chunk_.control), row(0, control::kGroups * 4)});
  submit_launch(std::move(ops), 0);
}

void StoppableRun::submit_launch(std::vector<Op> ops, std::size_t own) {
  auto arguments = std::make_shared<std::vector<NativeArgument>>();
  if (run_.arguments != nullptr) *arguments = *run_.arguments;
  if (!run_.record.empty()) arguments->emplace_back(run_.record);
  arguments->emplace_back(BufferArgument{states_, 0, capacity_ * group_bytes()});
  arguments->emplace_back(BufferArgument{control_, 0, 0});
  RunOp run{code_.kernel, std::move(arguments), {}, run_.range};
  run.range.work_dim = 3;
  run.range.offset = {0, 0, 0};
  run.range.global = {run_.range.local[0] * chunk_.groups.size(), run_.range.local[1], run_.range.local[2]};
  run_at_ = ops.size();
  ops.emplace_back(std::move(run));
  ops.emplace_back(ReadOp{control_, bytes_of(chunk_.control), row(0, 4)});
  submit(std::move(ops), own, &StoppableRun::ran);
}

void StoppableRun::ran(BatchResult&& result) {
  add_times(result);
  first_ = false;
  const bool left = chunk_.control[control::kLeft] != 0;
  if (run_.stop != nullptr && run_.stop->requested() && (left || next_ < run_.groups.last)) return read_stages();
  if (left) return run_again();
  next_chunk();
}

// Most groups have ended or not begun: their states need not be moved.
void StoppableRun::read_stages() {
  std::vector<Op> ops;
  const std::uint64_t begin = chunk_.stages() * 4;
  ops.emplace_back(ReadOp{control_, bytes_of(chunk_.control), row(begin, chunk_.control.size() * 4 - begin)});
  submit(std::move(ops), 0, &StoppableRun::read_states);
}

void StoppableRun::read_states(BatchResult&& result) {
  std::size_t first = chunk_.groups.size(), last = 0;
  for (std::size_t i = 0; i < chunk_.groups.size(); ++i)
    if (stage_of(chunk_, i) == GroupStage::inside) first = std::min(first, i), last = i + 1;
  if (last == 0) return kept(std::move(result));
  read_.first = first;
  const std::uint64_t bytes = layout_.group_words() * 4;
  read_.words.resize((last - first) * layout_.group_words());
  std::vector<Op> ops;
  ops.emplace_back(ReadOp{states_, bytes_of(read_.words), row(first * bytes, read_.words.size() * 4), true});
  submit(std::move(ops), 0, &StoppableRun::kept);
}

// Groups that have ended behind one that has not are told, too: no device runs them again.
void StoppableRun::kept(BatchResult&&) {
  std::uint64_t first_left = next_, begun = run_.groups.first;
  for (std::size_t i = 0; i < chunk_.groups.size(); ++i) {
    const GroupStage stage = stage_of(chunk_, i);
    if (stage != GroupStage::ended) first_left = std::min(first_left, chunk_.groups[i]);
    if (stage != GroupStage::fresh) begun = chunk_.groups[i] + 1;
  }
  for (std::size_t i = 0; i < chunk_.groups.size(); ++i) {
    const GroupStage stage = stage_of(chunk_, i);
    if (chunk_.groups[i] < first_left || stage == GroupStage::fresh) continue;
    run_.saved->put(chunk_.groups[i],
                    stage == GroupStage::inside ? state_of(code_.facts, layout_, read_, i) : SavedGroups::State{});
  }
  for (const std::uint64_t group : chunk_.ended)
    if (group > first_left) run_.saved->put(group, {});
  BatchResult result;
  if (first_left < run_.groups.last) {
    const std::uint64_t from = first_left - run_.groups.first;
    result.left = {batch_.work().size() - 1, from, std::max(from, begun - run_.groups.first)};
  }
  end(std::move(result));
}

void StoppableRun::add_times(const BatchResult& result) {
  if (result.times.size() <= run_at_) return;
  for (std::size_t i = 0; i < own_ops_; ++i) times_[i] = result.times[i];
  const OpTime& run = result.times[run_at_];
  OpTime& all = times_.back();
  if (all.start == 0) all.start = run.start, all.waited_ns = run.waited_ns;
  all.end = run.end;
  all.device_ns += run.device_ns;
  learn_fuel(run.end - run.start);
}

// The next launch is to take a quantum.
void StoppableRun::learn_fuel(std::uint64_t nanoseconds) {
  if (nanoseconds * 2 < run_.quantum_ns) fuel_ = std::min(kMaxFuel, fuel_ * 2);
  if (nanoseconds > run_.quantum_ns) fuel_ = std::max(1u, fuel_ / 2);
}

void StoppableRun::fail(cl_int status, std::string reason) {
  BatchResult result;
  result.status = status;
  result.reason = std::move(reason);
  result.fault = Fault::memory;
  end(std::move(result));
}

void StoppableRun::end(BatchResult&& result) {
  // Of a failed part, ops between the batch's own and the launch are ours.
  if (result.status != CL_SUCCESS && (!first_ || result.accepted > run_at_)) {
    result.accepted = SIZE_MAX;
  } else if (result.status != CL_SUCCESS) {
    result.accepted = std::min(result.accepted, own_ops_);
  }
  result.times.clear();
  if (batch_.want_times && result.status == CL_SUCCESS) result.times = std::move(times_);
  {
    const MutexGuard lock(mutex_);
    ended_ = true;
  }
  const auto done = std::move(batch_.done);
  done(std::move(result));
}

}  // namespace skmd::icd
