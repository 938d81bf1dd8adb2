// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/trap_run.h"

#include <algorithm>
#include <map>
#include <new>
#include <utility>

#include "compiler/client/trapping.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

using namespace tuning;

namespace {

namespace control = compiler::trap_control;

std::byte* bytes_of(std::vector<std::uint32_t>& words) { return reinterpret_cast<std::byte*>(words.data()); }

domain::RowRun row(std::uint64_t begin, std::uint64_t bytes) { return {begin, bytes, 0, 1}; }

void put_wide(std::vector<std::uint32_t>& words, std::size_t at, std::uint64_t value) {
  words[at] = static_cast<std::uint32_t>(value);
  words[at + 1] = static_cast<std::uint32_t>(value >> 32);
}

std::uint64_t get_wide(const std::vector<std::uint32_t>& words, std::size_t at) {
  return words[at] | std::uint64_t{words[at + 1]} << 32;
}

// That the kernel may access.
std::uint64_t bytes_of_argument(const NativeArgument& argument) {
  if (const auto* local = std::get_if<LocalArgument>(&argument)) return local->bytes;
  const auto* buffer = std::get_if<BufferArgument>(&argument);
  return buffer == nullptr || buffer->memory == nullptr ? 0 : buffer->size;
}

}  // namespace

std::shared_ptr<NativeMemory> TrapRoom::take(std::uint64_t bytes) {
  const MutexGuard lock(mutex_);
  return bytes_ >= bytes ? std::exchange(memory_, nullptr) : nullptr;
}

void TrapRoom::give(std::shared_ptr<NativeMemory> memory, std::uint64_t bytes) {
  std::shared_ptr<NativeMemory> old;  // released without the lock
  const MutexGuard lock(mutex_);
  if (memory_ != nullptr && bytes_ > bytes) return;
  old = std::exchange(memory_, std::move(memory));
  bytes_ = bytes;
}

TrapRun::TrapRun(Batch&& batch, const StoppableKernelCode& code, Native native)
    : batch_(std::move(batch)),
      run_(std::get<RunOp>(batch_.work().back())),
      code_(code),
      native_(std::move(native)),
      next_(run_.groups.first),
      behind_(next_),
      times_(batch_.work().size()) {}

std::uint64_t TrapRun::items() const { return run_.range.local[0] * run_.range.local[1] * run_.range.local[2]; }

std::uint64_t TrapRun::record_words() const { return compiler::kRecordState + code_.facts.facts.item_words; }

Ticket TrapRun::begin() {
  try {
    make_room();
  } catch (const std::bad_alloc&) {
    fail(CL_OUT_OF_HOST_MEMORY, {});
  }
  const MutexGuard lock(mutex_);
  return ended_ ? 0 : ticket_;
}

void TrapRun::make_room() {
  words_.resize(control::kSizes + 2 * (run_.arguments == nullptr ? 0 : run_.arguments->size()));
  auto control_memory = native_.allocate(words_.size() * 4);
  if (!control_memory) return fail(control_memory.error().code, control_memory.error().reason);
  control_ = std::move(*control_memory);
  if (!code_.facts.goes_on) return make_records();
  // Nothing is kept of an item: parts only stay below what drivers take at once.
  part_groups_ = std::max<std::uint64_t>(1, native_.most_bytes / items());
  next_part();
}

// Records of all items of a part: none is ever without one.
void TrapRun::make_records() {
  const std::uint64_t all = std::max<std::uint64_t>(1, run_.groups.size());
  part_groups_ = std::clamp<std::uint64_t>(native_.most_bytes / group_bytes(), 1, all);
  record_bytes_ = part_groups_ * group_bytes();
  records_ = native_.room->take(record_bytes_);
  while (records_ == nullptr) {
    auto made = native_.allocate(record_bytes_);
    if (made) {
      records_ = std::move(*made);
    } else if (part_groups_ == 1) {
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no device memory for work-items that would trap");
    } else {
      part_groups_ = (part_groups_ + 1) / 2;
      record_bytes_ = part_groups_ * group_bytes();
    }
  }
  next_part();
}

std::vector<std::uint32_t> TrapRun::control_words() const {
  std::vector<std::uint32_t> words(words_.size());
  words[control::kFirst] = static_cast<std::uint32_t>(next_);
  words[control::kWorkDim] = run_.range.work_dim;
  const domain::Extent3 counts = run_.range.group_counts();
  for (std::size_t d = 0; d < counts.size(); ++d) {
    words[control::kGroupCounts + d] = static_cast<std::uint32_t>(counts[d]);
    put_wide(words, control::kOffsets + 2 * d, run_.range.offset[d]);
  }
  if (run_.arguments != nullptr)
    for (std::size_t i = 0; i < run_.arguments->size(); ++i)
      put_wide(words, control::kSizes + 2 * i, bytes_of_argument((*run_.arguments)[i]));
  return words;
}

// `launches`: its last op but one is the launch.
void TrapRun::submit(std::vector<Op> ops, bool launches, Next then) {
  run_at_ = launches ? ops.size() - 2 : SIZE_MAX;
  Batch batch;
  batch.ops = std::move(ops);
  batch.want_times = true;
  batch.first_use = first_ && launches;
  batch.done = [self = shared_from_this(), then](BatchResult&& result) {
    try {
      ((*self).*(result.status == CL_SUCCESS ? then : &TrapRun::end))(std::move(result));
    } catch (const std::bad_alloc&) {
      self->fail(CL_OUT_OF_HOST_MEMORY, {});  // no text: that would take memory, too
    }
  };
  const Ticket ticket = native_.submit(std::move(batch));
  const MutexGuard lock(mutex_);
  ticket_ = std::max(ticket_, ticket);
}

void TrapRun::next_part() {
  std::vector<Op> ops;
  if (first_) ops.assign(batch_.work().begin(), batch_.work().end() - 1);
  own_ops_ = ops.size();
  behind_ = std::min(run_.groups.last, next_ + part_groups_);
  if (next_ >= behind_) return ops.empty() ? end({}) : submit(std::move(ops), false, &TrapRun::end);
  words_ = control_words();
  ops.emplace_back(WriteOp{control_, bytes_of(words_), row(0, words_.size() * 4)});
  auto arguments = std::make_shared<std::vector<NativeArgument>>();
  if (run_.arguments != nullptr) *arguments = *run_.arguments;
  if (!run_.record.empty()) arguments->emplace_back(run_.record);
  if (records_ != nullptr) arguments->emplace_back(BufferArgument{records_, 0, 0});
  arguments->emplace_back(BufferArgument{control_, 0, 0});
  RunOp run{code_.kernel, std::move(arguments), {}, run_.range};
  run.range.work_dim = 3;
  run.range.offset = {0, 0, 0};
  run.range.global = {run_.range.local[0] * (behind_ - next_), run_.range.local[1], run_.range.local[2]};
  ops.emplace_back(std::move(run));
  ops.emplace_back(ReadOp{control_, bytes_of(words_), row(0, control::kReportWords * 4)});
  submit(std::move(ops), true, &TrapRun::ran);
}

void TrapRun::ran(BatchResult&& result) {
  add_times(result);
  first_ = false;
  if (code_.facts.goes_on) return add_report();
  const std::uint64_t left = words_[control::kCount];
  if (left == 0) return go_on();
  if (left > (behind_ - next_) * items())
    return fail(CL_OUT_OF_RESOURCES, "more work-items left the device than it had");
  read_.resize(left * record_words());
  std::vector<Op> ops;
  ops.emplace_back(ReadOp{records_, bytes_of(read_), row(0, read_.size() * 4)});
  submit(std::move(ops), false, &TrapRun::has_records);
}

void TrapRun::has_records(BatchResult&&) {
  keep_records();
  go_on();
}

// As states of groups of which all other items have ended.
void TrapRun::keep_records() {
  const std::uint64_t words = code_.facts.facts.item_words, of_group = items();
  std::map<std::uint64_t, SavedGroups::State> groups;
  for (auto record = read_.begin(); record != read_.end(); record += static_cast<std::ptrdiff_t>(record_words())) {
    const std::uint64_t group = record[compiler::kRecordGroup], item = record[compiler::kRecordItem];
    if (group < next_ || group >= behind_ || item >= of_group) continue;  // nothing that the kernel writes
    SavedGroups::State& state = groups[group];
    if (state.words.empty()) {
      state.schema = code_.facts.facts.schema;
      state.words.resize(words * of_group);
      std::fill_n(state.words.begin(), of_group, cpu::kPointDone);
    }
    for (std::uint64_t word = 0; word < words; ++word)
      state.words[word * of_group + item] = record[static_cast<std::ptrdiff_t>(compiler::kRecordState + word)];
  }
  for (auto& [group, state] : groups) run_.saved->put(group, std::move(state));
  run_.saved->add_left_items(words_[control::kCount]);
}

void TrapRun::add_report() {
  const std::uint64_t count = get_wide(words_, control::kCount);
  if (report_.count == 0 && count != 0) {
    report_.site = words_[control::kSite];
    report_.offset = get_wide(words_, control::kOffset);
    report_.size = get_wide(words_, control::kSize);
    for (std::size_t d = 0; d < 3; ++d) report_.item[d] = get_wide(words_, control::kItem + 2 * d);
  }
  report_.count += count;
  next_ = behind_;
  if (next_ < run_.groups.last) return next_part();
  BatchResult result;
  if (report_.count != 0) {
    TrapEnd ended = end_of_trapped(*native_.traps, code_.facts.name, code_.facts.sites.c_str(), report_, 0);
    result.ended_itself = ended.status == CL_SUCCESS;
    if (!result.ended_itself) result.trapped = domain::Error{ended.status, std::move(ended.reason)};
  }
  end(std::move(result));
}

void TrapRun::go_on() {
  const bool many = words_[control::kCount] > (behind_ - next_) * items() / kManyTraps;
  next_ = behind_;
  if (!many || next_ >= run_.groups.last) return next_part();
  // Those that have not begun are as well begun elsewhere.
  BatchResult result;
  const std::uint64_t from = next_ - run_.groups.first;
  result.left = {batch_.work().size() - 1, from, from};
  end(std::move(result));
}

void TrapRun::add_times(const BatchResult& result) {
  if (result.times.size() <= run_at_) return;
  for (std::size_t i = 0; i < own_ops_; ++i) times_[i] = result.times[i];
  const OpTime& run = result.times[run_at_];
  OpTime& all = times_.back();
  if (all.start == 0) all.start = run.start, all.waited_ns = run.waited_ns;
  all.end = run.end;
  all.device_ns += run.device_ns;
}

void TrapRun::fail(cl_int status, std::string reason) {
  BatchResult result;
  result.status = status;
  result.reason = std::move(reason);
  result.fault = Fault::memory;
  end(std::move(result));
}

void TrapRun::end(BatchResult&& result) {
  // Of a failed part, ops between the batch's own and the launch are ours.
  if (result.status != CL_SUCCESS && (!first_ || result.accepted > run_at_)) {
    result.accepted = SIZE_MAX;
  } else if (result.status != CL_SUCCESS) {
    result.accepted = std::min(result.accepted, own_ops_);
  }
  result.times.clear();
  if (batch_.want_times && result.status == CL_SUCCESS) result.times = std::move(times_);
  // A batch that failed may be running still.
  if (result.status == CL_SUCCESS && records_ != nullptr) native_.room->give(std::move(records_), record_bytes_);
  {
    const MutexGuard lock(mutex_);
    ended_ = true;
  }
  const auto done = std::move(batch_.done);
  done(std::move(result));
}

}  // namespace skmd::icd
