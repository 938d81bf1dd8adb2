// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/stoppable_run.h"

#include <algorithm>
#include <new>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

using namespace tuning;

namespace control = compiler::control;

namespace {

BatchResult failure_of(cl_int status, std::string reason) {
  BatchResult result;
  result.status = status;
  result.reason = std::move(reason);
  result.fault = Fault::memory;
  return result;
}

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
      // Groups that wait for what others write: those are to have their turn between two runs.
      ahead_(native_.ahead && !run_.groups_wait),
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

// `then` goes on with the result, be it of a failure, on whichever thread completes the batch.
void StoppableRun::submit(std::vector<Op>&& ops, Next then) {
  Batch batch;
  batch.first_use = !may_have_run_ &&
                    std::any_of(ops.begin(), ops.end(), [](const Op& op) { return std::holds_alternative<RunOp>(op); });
  batch.ops = std::move(ops);
  batch.want_times = true;
  batch.done = [self = shared_from_this(), then = std::move(then)](BatchResult&& result) {
    try {
      then(std::move(result));
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

// For the states of as many groups at a time, or of half as many where memory is short; in two lanes where the launch
// has more.
void StoppableRun::make_room(std::uint64_t groups) {
  const std::uint64_t least = run_.groups_wait ? std::min(all_groups(), kLeastGroups) : 1;
  for (; groups >= least; groups /= 2) {
    const std::size_t lanes = ahead_ && groups < all_groups() && groups > 1 ? 2 : 1;
    const std::uint64_t capacity = groups / lanes;
    std::vector<std::unique_ptr<StoppableLane>> made;
    while (made.size() < lanes) {
      auto states = native_.allocate(capacity * group_bytes());
      auto words = native_.allocate(StoppableLane::control_bytes(capacity));
      if (!states || !words) break;
      made.push_back(std::make_unique<StoppableLane>(std::move(*states), std::move(*words), capacity));
    }
    if (made.size() < lanes) continue;
    lanes_ = std::move(made);
    std::vector<Op> ops;
    for (const auto& lane : lanes_) lane->try_memory(group_bytes(), ops);
    return submit(std::move(ops), [this, groups](BatchResult&& result) {
      if (result.status == CL_SUCCESS) return run_own();
      if (result.fault != Fault::memory) return failed(std::move(result), {});
      lanes_.clear();
      make_room(groups / 2);
    });
  }
  fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no device memory for groups that can be left");
}

// What comes before the launch goes by itself: when it has ended, the launch may be to stop already.
void StoppableRun::run_own() {
  std::vector<Op> ops(batch_.work().begin(), batch_.work().end() - 1);
  const std::size_t own = ops.size();
  if (own == 0) return feed();
  submit(std::move(ops), [this, own](BatchResult&& result) {
    if (result.status != CL_SUCCESS) return failed(std::move(result), {own, SIZE_MAX});
    for (std::size_t i = 0; i < std::min(own, result.times.size()); ++i) times_[i] = result.times[i];
    own_done_ = true;
    feed();
  });
}

// Gives the device what it can be given now. A launch that is to stop before it begins has one short run.
void StoppableRun::feed() {
  const unsigned most = ahead_ ? StoppableLane::kRuns : 1;
  while (!failure_ && under_way_ < most && !(begun_ && to_stop())) {
    std::vector<Op> ops;
    StoppableLane* const lane = next_lane(ops);
    if (lane == nullptr) break;
    run(*lane, std::move(ops));
  }
  if (under_way_ == 0) settle();
}

// Whose list is to be run; `ops`: what comes before. Null: there is none, or taking one failed, which `failure_` tells.
StoppableLane* StoppableRun::next_lane(std::vector<Op>& ops) {
  for (const auto& lane : lanes_)
    if (lane->open() && lane->under_way() == 0) return lane.get();
  for (const auto& lane : lanes_) {
    if (lane->open() || next_ >= run_.groups.last || too_far_ahead()) continue;
    const std::uint64_t first = next_;
    auto chunk = take_chunk(code_.facts, layout_, run_, next_, lane->capacity(), native_.pieces(false));
    if (!chunk) {
      note(failure_of(chunk.error().code, chunk.error().reason), {});
      return nullptr;
    }
    if (chunk->groups.empty()) {  // all that were left have ended
      done_.push_back({first, next_});
      continue;
    }
    chunk->control[control::kQuantum] =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(quantum() / kClockUnitNs, 1, INT32_MAX));
    lane->take(std::move(*chunk), {first, next_}, group_bytes(), ops);
    return lane.get();
  }
  // The only list that is left, once a run of it has left groups: it is likely to need another run.
  const auto open = [](const std::unique_ptr<StoppableLane>& lane) { return lane->open(); };
  if (!ahead_ || std::count_if(lanes_.begin(), lanes_.end(), open) != 1) return nullptr;
  const auto last = std::find_if(lanes_.begin(), lanes_.end(), open);
  return (*last)->left() && (*last)->under_way() == 1 ? last->get() : nullptr;
}

// Whether the next list would be too far behind one that has groups left: what ended behind that one is kept group by
// group if the launch is stopped.
bool StoppableRun::too_far_ahead() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [this](const std::unique_ptr<StoppableLane>& lane) {
    return lane->open() && next_ - lane->span().first > kMaxListsAhead * lane->capacity();
  });
}

// Kernels compare times as signed numbers.
std::uint64_t StoppableRun::quantum() const {
  if (to_stop()) return std::min(run_.quantum_ns, kStoppingQuantumNs);
  return ahead_ ? static_cast<std::uint64_t>(static_cast<double>(run_.quantum_ns) * kAheadQuantum) : run_.quantum_ns;
}

void StoppableRun::run(StoppableLane& lane, std::vector<Op>&& ops) {
  const bool again = lane.left();
  const std::size_t launch_at = lane.run(run_, code_, group_bytes(), next_fuel(), ops);
  ++under_way_;
  begun_ = true;
  try {
    submit(std::move(ops), [this, &lane, launch_at](BatchResult&& result) {
      --under_way_;
      if (result.status == CL_SUCCESS) return ran(lane, result, launch_at);
      lane.dropped();
      failed(std::move(result), {0, launch_at});
    });
  } catch (const std::bad_alloc&) {  // it was not submitted
    --under_way_;
    lane.dropped();
    throw;
  }
  // A launch that takes longer than a quantum may be stopped. It takes milliseconds to make these: the device works on.
  if (!again || run_.stop == nullptr) return;
  try {
    (void)native_.pieces(true);
  } catch (const std::bad_alloc&) {  // states go through ordinary memory
  }
}

void StoppableRun::ran(StoppableLane& lane, const BatchResult& result, std::size_t launch_at) {
  if (result.times.size() > launch_at) {
    const OpTime& time = result.times[launch_at];
    add_times(time);
    learn_fuel(lane.fuel(), time.end - time.start);
  }
  may_have_run_ = true;
  lane.ended();
  if (!lane.open()) done_.push_back(lane.span());
  feed();
}

void StoppableRun::failed(BatchResult&& result, const Place& place) {
  note(std::move(result), place);
  if (under_way_ == 0) settle();
}

// The first failure counts. What comes before the launch is not of the batch.
void StoppableRun::note(BatchResult&& result, const Place& place) {
  may_have_run_ = may_have_run_ || result.accepted > place.launch_at;
  if (failure_) return;
  result.accepted = own_done_ ? batch_.work().size() - 1 : std::min(result.accepted, place.own);
  failure_ = std::move(result);
}

// No run is under way, and none is to follow.
void StoppableRun::settle() {
  if (!batch_.done) return;  // a part that was refused inside submit() was the end
  if (failure_) {
    if (may_have_run_) failure_->accepted = SIZE_MAX;
    return end(std::move(*failure_));
  }
  const bool open = std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->open(); });
  if (open) return read_stages();
  if (next_ < run_.groups.last) return keep();
  end({});
}

void StoppableRun::read_stages() {
  std::vector<Op> ops;
  for (const auto& lane : lanes_)
    if (lane->open()) lane->read_stages(ops);
  submit(std::move(ops), [this](BatchResult&& result) {
    return result.status == CL_SUCCESS ? read_states() : failed(std::move(result), {});
  });
}

void StoppableRun::read_states() {
  std::vector<Op> ops;
  for (const auto& lane : lanes_)
    if (lane->open()) lane->read_states(layout_.group_words(), native_.pieces(false), ops);
  if (ops.empty()) return keep();
  submit(std::move(ops),
         [this](BatchResult&& result) { return result.status == CL_SUCCESS ? keep() : failed(std::move(result), {}); });
}

// Groups that have ended behind one that has not are told, too: no device runs them again.
void StoppableRun::keep_lane(StoppableLane& lane, std::uint64_t first_left) {
  const StateChunk& chunk = lane.chunk();
  // The device is free before states are copied: each is when it is taken.
  const auto part = std::make_shared<StoppedPart>();
  part->kernel = code_.facts;
  part->layout = layout_;
  part->read = lane.take_states();
  const std::uint64_t words = part->read.words == nullptr ? 0 : part->read.words->size();
  for (std::size_t i = 0; i < words / std::max<std::uint64_t>(1, layout_.group_words()); ++i) {
    part->groups.push_back(chunk.groups[part->read.first + i]);
    part->stages.push_back(stage_of(chunk, part->read.first + i));
  }
  for (std::size_t i = 0; i < chunk.groups.size(); ++i) {
    const GroupStage stage = stage_of(chunk, i);
    if (chunk.groups[i] < first_left || stage == GroupStage::fresh) continue;
    if (stage == GroupStage::inside)
      run_.saved->put_later(
          chunk.groups[i], code_.facts.facts.schema, group_bytes(),
          [part, i] { return state_of(part->kernel, part->layout, part->read, i); }, part);
    else
      run_.saved->put(chunk.groups[i], {});
  }
  for (const std::uint64_t group : chunk.ended)
    if (group > first_left) run_.saved->put(group, {});
}

void StoppableRun::keep() {
  std::uint64_t first_left = next_, begun = run_.groups.first;
  for (const auto& lane : lanes_) {
    const StateChunk& chunk = lane->chunk();
    for (std::size_t i = 0; lane->open() && i < chunk.groups.size(); ++i) {
      const GroupStage stage = stage_of(chunk, i);
      if (stage != GroupStage::ended) first_left = std::min(first_left, chunk.groups[i]);
      if (stage != GroupStage::fresh) begun = std::max(begun, chunk.groups[i] + 1);
    }
  }
  for (const auto& lane : lanes_)
    if (lane->open()) keep_lane(*lane, first_left);
  for (const domain::GroupSpan& span : done_) {
    begun = std::max(begun, span.last);
    for (std::uint64_t group = std::max(span.first, first_left); group < span.last; ++group) run_.saved->put(group, {});
  }
  BatchResult result;
  if (first_left < run_.groups.last) {
    const std::uint64_t from = first_left - run_.groups.first;
    result.left = {batch_.work().size() - 1, from, std::max(from, begun - run_.groups.first)};
  }
  end(std::move(result));
}

void StoppableRun::add_times(const OpTime& run) {
  OpTime& all = times_.back();
  if (all.start == 0) all.start = run.start, all.waited_ns = run.waited_ns;
  all.end = run.end;
  all.device_ns += run.device_ns;
}

/// Of a launch that is to stop already, groups leave at once.
std::uint32_t StoppableRun::next_fuel() const { return to_stop() ? 1 : fuel_; }

// The next launch is to take a quantum. One that was to stop at once tells nothing.
void StoppableRun::learn_fuel(std::uint32_t given, std::uint64_t nanoseconds) {
  if (given != fuel_) return;
  if (nanoseconds * 2 < run_.quantum_ns) fuel_ = std::min(kMaxFuel, fuel_ * 2);
  if (nanoseconds > run_.quantum_ns) fuel_ = std::max(1u, fuel_ / 2);
}

void StoppableRun::fail(cl_int status, std::string reason) { failed(failure_of(status, std::move(reason)), {}); }

void StoppableRun::end(BatchResult&& result) {
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
