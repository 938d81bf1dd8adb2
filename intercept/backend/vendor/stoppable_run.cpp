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
      next_(run_.groups.first),
      fuel_(kFirstFuel),
      times_(batch_.work().size()) {}

Ticket StoppableRun::begin() {
  try {
    auto layout = state_layout(code_.facts, run_);
    if (layout) {
      layout_ = std::move(*layout);
      make_room(std::min(all_groups(), std::max(kLeastGroups, kStateBytes / group_bytes())));
    } else {
      fail(layout.error().code, layout.error().reason);
    }
  } catch (const std::bad_alloc&) {
    fail(CL_OUT_OF_HOST_MEMORY, {});
  }
  return under_way();
}

Ticket StoppableRun::under_way() const {
  const MutexGuard lock(mutex_);
  return ended_ ? 0 : ticket_;
}

// `then` goes on with the result, and `otherwise` with that of a failure, on whichever thread completes the batch.
void StoppableRun::submit(Part part, Next then, Next otherwise) {
  own_ops_ = part.own;
  run_at_ = part.run_at;
  Batch batch;
  batch.ops = std::move(part.ops);
  batch.want_times = true;
  batch.first_use = first_ && run_at_ != SIZE_MAX;
  batch.done = [self = shared_from_this(), then, otherwise](BatchResult&& result) {
    try {
      ((*self).*(result.status == CL_SUCCESS ? then : otherwise))(std::move(result));
    } catch (const std::bad_alloc&) {
      self->fail(CL_OUT_OF_HOST_MEMORY, {});  // no text: that would take memory, too
    }
  };
  const Ticket ticket = native_.submit(std::move(batch));
  const MutexGuard lock(mutex_);
  ticket_ = std::max(ticket_, ticket);
}

std::uint64_t StoppableRun::group_bytes() const { return std::max<std::uint64_t>(4, layout_.group_words() * 4); }
std::uint64_t StoppableRun::all_groups() const { return std::max<std::uint64_t>(1, run_.groups.size()); }

// For the states of as many groups at a time, or of half as many where memory is short. It is used once, before states
// are taken for it: drivers may find out only then that they have none.
void StoppableRun::make_room(std::uint64_t groups) {
  const std::uint64_t least = run_.groups_wait ? std::min(all_groups(), kLeastGroups) : 1;
  for (; groups >= least; groups /= 2) {
    const std::uint64_t state_bytes = groups * group_bytes();
    const std::uint64_t control_bytes = (control::kGroups + (1 + control::kStages) * groups) * 4;
    auto states = native_.allocate(state_bytes);
    auto words = native_.allocate(control_bytes);
    if (!states || !words) continue;
    states_ = std::move(*states);
    control_ = std::move(*words);
    capacity_ = groups;
    Part part;
    part.ops.emplace_back(FillOp{states_, std::vector<std::byte>(4), 0, state_bytes});
    part.ops.emplace_back(FillOp{control_, std::vector<std::byte>(4), 0, control_bytes});
    return submit(std::move(part), &StoppableRun::has_room, &StoppableRun::has_no_room);
  }
  fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no device memory for groups that can be left");
}

void StoppableRun::has_room(BatchResult&&) { run_own(); }

void StoppableRun::has_no_room(BatchResult&& result) {
  if (result.fault != Fault::memory) return end(std::move(result));
  states_.reset();
  control_.reset();
  make_room(capacity_ / 2);
}

// What comes before the launch goes by itself: when it has ended, the launch may be to stop already.
void StoppableRun::run_own() {
  Part part;
  part.ops.assign(batch_.work().begin(), batch_.work().end() - 1);
  part.own = part.ops.size();
  if (part.own == 0) return next_chunk();
  submit(std::move(part), &StoppableRun::ran_own, &StoppableRun::end);
}

void StoppableRun::ran_own(BatchResult&& result) {
  for (std::size_t i = 0; i < std::min(own_ops_, result.times.size()); ++i) times_[i] = result.times[i];
  own_done_ = true;
  next_chunk();
}

// A new list of groups.
void StoppableRun::next_chunk() {
  auto chunk = take_chunk(code_.facts, layout_, run_, next_, capacity_, native_.pieces(false));
  if (!chunk) return fail(chunk.error().code, chunk.error().reason);
  chunk_ = std::move(*chunk);
  if (chunk_.groups.empty()) return end({});
  Part part;
  const std::uint64_t bytes = group_bytes();
  part.ops.emplace_back(FillOp{states_, std::vector<std::byte>(4), 0, chunk_.groups.size() * bytes});
  if (const StateWords* const begun = chunk_.begun.words.get(); begun != nullptr) {
    const std::uint64_t begin = chunk_.begun.first * bytes;
    part.ops.emplace_back(
        WriteOp{states_, reinterpret_cast<std::byte*>(begun->data()) - begin, row(begin, begun->size() * 4)});
  }
  const bool stops = run_.stop != nullptr && run_.stop->requested();
  const std::uint64_t quantum = stops ? std::min(run_.quantum_ns, kStoppingQuantumNs) : run_.quantum_ns;
  // Kernels compare times as signed numbers.
  chunk_.control[control::kQuantum] =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(quantum / kClockUnitNs, 1, INT32_MAX));
  chunk_.control[control::kFuel] = next_fuel();
  chunk_.control[control::kRun] = 1;
  part.ops.emplace_back(WriteOp{control_, bytes_of(chunk_.control), row(0, chunk_.control.size() * 4)});
  submit_launch(std::move(part));
}

void StoppableRun::run_again() {
  chunk_.control[control::kLeft] = 0;
  chunk_.control[control::kStart] = 0;
  chunk_.control[control::kFuel] = next_fuel();
  ++chunk_.control[control::kRun];
  Part part;
  part.ops.emplace_back(WriteOp{control_, bytes_of(chunk_.control), row(0, control::kGroups * 4)});
  submit_launch(std::move(part));
  // A launch that takes longer than a quantum may be stopped. It takes milliseconds to make these: the device works on.
  if (run_.stop == nullptr) return;
  try {
    (void)native_.pieces(true);
  } catch (const std::bad_alloc&) {  // states go through ordinary memory
  }
}

void StoppableRun::submit_launch(Part part) {
  auto arguments = std::make_shared<std::vector<NativeArgument>>();
  if (run_.arguments != nullptr) *arguments = *run_.arguments;
  if (!run_.record.empty()) arguments->emplace_back(run_.record);
  arguments->emplace_back(BufferArgument{states_, 0, capacity_ * group_bytes()});
  arguments->emplace_back(BufferArgument{control_, 0, 0});
  RunOp run{code_.kernel, std::move(arguments), {}, run_.range};
  run.range.work_dim = 3;
  run.range.offset = {0, 0, 0};
  run.range.global = {run_.range.local[0] * chunk_.groups.size(), run_.range.local[1], run_.range.local[2]};
  part.run_at = part.ops.size();
  part.ops.emplace_back(std::move(run));
  part.ops.emplace_back(ReadOp{control_, bytes_of(chunk_.control), row(0, 4)});
  submit(std::move(part), &StoppableRun::ran, &StoppableRun::end);
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
  Part part;
  const std::uint64_t begin = chunk_.stages() * 4;
  part.ops.emplace_back(ReadOp{control_, bytes_of(chunk_.control), row(begin, chunk_.control.size() * 4 - begin)});
  submit(std::move(part), &StoppableRun::read_states, &StoppableRun::end);
}

void StoppableRun::read_states(BatchResult&& result) {
  std::size_t first = chunk_.groups.size(), last = 0;
  for (std::size_t i = 0; i < chunk_.groups.size(); ++i)
    if (stage_of(chunk_, i) == GroupStage::inside) first = std::min(first, i), last = i + 1;
  if (last == 0) return kept(std::move(result));
  read_.first = first;
  const std::uint64_t bytes = layout_.group_words() * 4;
  read_.words = std::make_shared<StateWords>((last - first) * layout_.group_words(), native_.pieces(false));
  Part part;
  part.ops.emplace_back(ReadOp{states_, reinterpret_cast<std::byte*>(read_.words->data()),
                               row(first * bytes, read_.words->size() * 4), true});
  submit(std::move(part), &StoppableRun::kept, &StoppableRun::end);
}

// Groups that have ended behind one that has not are told, too: no device runs them again.
void StoppableRun::kept(BatchResult&&) {
  // The device is free before states are copied: each is when it is taken.
  const auto part = std::make_shared<StoppedPart>();
  part->kernel = code_.facts;
  part->layout = layout_;
  part->read = std::move(read_);
  const std::uint64_t words = part->read.words == nullptr ? 0 : part->read.words->size();
  for (std::size_t i = 0; i < words / std::max<std::uint64_t>(1, layout_.group_words()); ++i) {
    part->groups.push_back(chunk_.groups[part->read.first + i]);
    part->stages.push_back(stage_of(chunk_, part->read.first + i));
  }
  std::uint64_t first_left = next_, begun = run_.groups.first;
  for (std::size_t i = 0; i < chunk_.groups.size(); ++i) {
    const GroupStage stage = stage_of(chunk_, i);
    if (stage != GroupStage::ended) first_left = std::min(first_left, chunk_.groups[i]);
    if (stage != GroupStage::fresh) begun = chunk_.groups[i] + 1;
  }
  for (std::size_t i = 0; i < chunk_.groups.size(); ++i) {
    const GroupStage stage = stage_of(chunk_, i);
    if (chunk_.groups[i] < first_left || stage == GroupStage::fresh) continue;
    if (stage == GroupStage::inside)
      run_.saved->put_later(
          chunk_.groups[i], code_.facts.facts.schema, group_bytes(),
          [part, i] { return state_of(part->kernel, part->layout, part->read, i); }, part);
    else
      run_.saved->put(chunk_.groups[i], {});
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
  const OpTime& run = result.times[run_at_];
  OpTime& all = times_.back();
  if (all.start == 0) all.start = run.start, all.waited_ns = run.waited_ns;
  all.end = run.end;
  all.device_ns += run.device_ns;
  learn_fuel(run.end - run.start);
}

/// Of a launch that is to stop already, groups leave at once.
std::uint32_t StoppableRun::next_fuel() const { return run_.stop != nullptr && run_.stop->requested() ? 1 : fuel_; }

// The next launch is to take a quantum. One that was to stop at once tells nothing.
void StoppableRun::learn_fuel(std::uint64_t nanoseconds) {
  if (chunk_.control[control::kFuel] != fuel_) return;
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
  // Of a failed part with the launch, ops before it are ours.
  if (result.status != CL_SUCCESS && (!first_ || result.accepted > run_at_)) {
    result.accepted = SIZE_MAX;
  } else if (result.status != CL_SUCCESS) {
    result.accepted = own_done_ ? batch_.work().size() - 1 : std::min(result.accepted, own_ops_);
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
