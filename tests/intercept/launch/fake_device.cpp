// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/launch/fake_device.h"

#include <array>

#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd::test {

namespace {

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

FakeMemory& memory_of(const std::shared_ptr<NativeMemory>& memory) { return static_cast<FakeMemory&>(*memory); }

template <class Function>
void each_row(const domain::RowRun& rows, Function&& function) {
  for (std::uint64_t row = 0; row < rows.rows; ++row) function(rows.begin + row * rows.stride, rows.width);
}

}  // namespace

Result<std::vector<std::byte>> FakeDevice::info(cl_device_info name) const {
  if (const auto answer = answers.find(name); answer != answers.end()) return bytes_of(answer->second);
  if (name == CL_DEVICE_IMAGE_SUPPORT) return bytes_of(cl_bool{CL_TRUE});
  if (name >= CL_DEVICE_IMAGE2D_MAX_WIDTH && name <= CL_DEVICE_IMAGE3D_MAX_DEPTH) return bytes_of(std::size_t{16384});
  if (name == CL_DEVICE_MAX_WORK_ITEM_SIZES) return bytes_of(std::array<std::size_t, 3>{256, 256, 64});
  if (name == CL_DEVICE_LOCAL_MEM_SIZE || name == CL_DEVICE_MAX_MEM_ALLOC_SIZE) return bytes_of(cl_ulong{1} << 32);
  return unsupported();
}

void FakeDevice::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
}

void FakeDevice::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  changed_.notify_all();
}

bool FakeDevice::idle() {
  const std::lock_guard lock(mutex_);
  return ended_ == submitted_;
}

Ticket FakeDevice::submit(Batch&& batch) {
  if (on_submit) on_submit();
  const std::lock_guard lock(mutex_);
  pending_.push_back(std::move(batch));
  changed_.notify_all();
  return ++submitted_;
}

void FakeDevice::help(Ticket ticket) {
  if (on_help) on_help();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ >= ticket; });
}

void FakeDevice::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || (!pending_.empty() && !paused_); });
    if (pending_.empty()) return;
    Batch batch = std::move(pending_.front());
    pending_.pop_front();
    lock.unlock();
    if (on_execute && !batch.work().empty()) on_execute();
    BatchResult result =
        health()->aside() ? BatchResult{CL_OUT_OF_RESOURCES, "set aside", {}, Fault::resources, 0} : execute(batch);
    if (!batch.work().empty()) health()->batch_ended(result.fault, result.reason);
    const bool failed = result.status != CL_SUCCESS;
    if (failed && on_failure) on_failure();
    const auto done = std::move(batch.done);
    batch = {};  // its memory may be freed from here on
    done(std::move(result));
    if (failed) health()->failure_told();
    lock.lock();
    ++ended_;
    changed_.notify_all();
  }
}

void FakeDevice::write(const std::shared_ptr<NativeMemory>& memory, const std::byte* host, const domain::RowRun& rows) {
  each_row(rows, [&](std::uint64_t begin, std::uint64_t width) {
    std::memcpy(memory_of(memory).data() + begin, host + begin, width);
    counters.bytes_to += width;
  });
}

void FakeDevice::read(const std::shared_ptr<NativeMemory>& memory, std::byte* host, const domain::RowRun& rows) {
  each_row(rows, [&](std::uint64_t begin, std::uint64_t width) {
    std::memcpy(host + begin, memory_of(memory).data() + begin, width);
    counters.bytes_from += width;
  });
}

void FakeDevice::read_packed(const ReadOp& op) {
  ++counters.packed_reads;
  std::uint64_t row = 0;
  each_row(op.rows, [&](std::uint64_t begin, std::uint64_t width) {
    std::memcpy(op.host + row++ * width, memory_of(op.memory).data() + begin, width);
    counters.bytes_from += width;
  });
}

namespace {

std::unique_ptr<PinnedPieces> make_pieces(std::size_t pieces, std::uint64_t bytes) {
  auto memory = std::make_shared<std::vector<std::byte>>(pieces * bytes);
  std::byte* const base = memory->data();
  return std::make_unique<PinnedPieces>(base, std::move(memory), pieces, bytes);
}

/// Whether one of these requests is left, which is then done with.
bool takes_one(std::atomic<int>& left) {
  if (left.load() <= 0) return false;
  --left;
  return true;
}

void copy_rectangle(const CopyRectOp& copy) {
  for (std::uint64_t z = 0; z < copy.region[2]; ++z)
    for (std::uint64_t y = 0; y < copy.region[1]; ++y)
      std::memcpy(memory_of(copy.to).data() + copy.to_begin + z * copy.to_pitch[1] + y * copy.to_pitch[0],
                  memory_of(copy.from).data() + copy.from_begin + z * copy.from_pitch[1] + y * copy.from_pitch[0],
                  copy.region[0]);
}

void fill_bytes(const FillOp& fill) {
  for (std::uint64_t i = 0; i < fill.bytes; ++i)
    memory_of(fill.memory).data()[fill.offset + i] = fill.pattern[i % fill.pattern.size()];
}

}  // namespace

void FakeDevice::lend_small_pieces() { small_pieces_ = make_pieces(tuning::kSmallPieces, tuning::kSmallPiece); }
std::shared_ptr<void> FakeDevice::page_lock(std::byte* host, std::uint64_t) {
  ++counters.page_locks;
  if (!locks_pages) return nullptr;
  ++locked;
  // Touched at the end: the memory has to be there as long.
  return {host, [this](std::byte* byte) {
            *static_cast<volatile std::byte*>(byte) = *byte;
            --locked;
          }};
}

void FakeDevice::lend_pinned_pieces() { pinned_pieces_ = make_pieces(tuning::kPinnedPieces, tuning::kPinnedPiece); }

namespace {

std::vector<BodyArgument> arguments_of(const RunOp& op) {
  std::vector<BodyArgument> arguments;
  for (const NativeArgument& argument : *op.arguments) {
    BodyArgument body;
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      body.pointer = buffer->memory ? memory_of(buffer->memory).data() + buffer->offset : nullptr;
    if (const auto* image = std::get_if<ImageArgument>(&argument)) body.pointer = memory_of(image->memory).data();
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) body.value = *value;
    arguments.push_back(std::move(body));
  }
  if (!op.record.empty()) arguments.push_back({nullptr, op.record});
  return arguments;
}

/// The work-items from `first` to in front of `last` of a group of op.range.
void run_items(const RunOp& op, const std::vector<BodyArgument>& arguments, std::uint64_t group, std::uint64_t first,
               std::uint64_t last) {
  const Body& body = static_cast<FakeKernel&>(*op.kernel).body();
  const domain::Extent3 counts = op.range.group_counts(), local = op.range.local;
  const domain::Extent3 id = {group % counts[0], group / counts[0] % counts[1], group / counts[0] / counts[1]};
  for (std::uint64_t item = first; item < last; ++item) {
    const domain::Extent3 own = {item % local[0], item / local[0] % local[1], item / local[0] / local[1]};
    domain::Extent3 global;
    for (std::size_t d = 0; d < 3; ++d) global[d] = op.range.offset[d] + id[d] * local[d] + own[d];
    body(arguments, global);
  }
}

std::uint64_t items_of_group(const RunOp& op) { return op.range.local[0] * op.range.local[1] * op.range.local[2]; }

}  // namespace

std::optional<BatchResult::Left> FakeDevice::execute_inside(const RunOp& op, std::size_t index) {
  ++counters.runs;
  const std::vector<BodyArgument> arguments = arguments_of(op);
  const std::uint64_t items = items_of_group(op);
  for (std::uint64_t group = op.groups.first; group < op.groups.last; ++group) {
    const auto state = op.saved->take(group);
    if (!state) {
      run_items(op, arguments, group, 0, items / 2);
      if (op.stop != nullptr && op.stop->requested()) {
        op.saved->put(group, {7, {1}, {}});
        return BatchResult::Left{index, group - op.groups.first, group + 1 - op.groups.first};
      }
    }
    run_items(op, arguments, group, items / 2, items);
    ++counters.groups;
  }
  return std::nullopt;
}

std::uint64_t FakeDevice::execute(const RunOp& op) {
  ++counters.runs;
  const std::vector<BodyArgument> arguments = arguments_of(op);
  const auto& range = op.range;
  for (std::uint64_t group = 0; group < range.group_total(); ++group) {
    run_items(op, arguments, group, 0, items_of_group(op));
    ++counters.groups;
    if (description_.stops == StopForm::group && op.stop != nullptr) {
      const std::uint64_t ns = ns_per_group.load();
      op.stop->ran(1, ns != 0 ? 1 : 0, op.stop->progress().nanoseconds + ns);
    }
    if (on_group) on_group();
    if (description_.stops == StopForm::group && op.stop != nullptr && op.stop->requested()) return group + 1;
  }
  return range.group_total();
}

BatchResult FakeDevice::execute(const Batch& batch) {
  ++counters.batches;
  if (batch.awaited) ++counters.awaited_batches;
  if (batch.quiet) ++counters.quiet_batches;
  BatchResult result;
  for (const Op& op : batch.work()) {
    const auto index = static_cast<std::size_t>(&op - batch.work().data());
    if (const auto* write = std::get_if<WriteOp>(&op)) {
      if (takes_one(fail_writes))
        return {CL_MEM_OBJECT_ALLOCATION_FAILURE, "the fake refuses a write on request", {}, Fault::memory, index};
      if (write->locked) ++counters.locked_transfers;
      this->write(write->memory, write->host, write->rows);
    }
    if (const auto* write = std::get_if<WriteImageOp>(&op)) this->write(write->image, write->host, write->rows);
    if (const auto* read = std::get_if<ReadOp>(&op)) {
      if (takes_one(fail_reads))
        return {CL_MEM_OBJECT_ALLOCATION_FAILURE, "the fake refuses a read on request", {}, Fault::memory, index};
      if (read->locked) ++counters.locked_transfers;
      read->packed ? read_packed(*read) : this->read(read->memory, read->host, read->rows);
    }
    if (const auto* read = std::get_if<ReadImageOp>(&op)) this->read(read->image, read->host, read->rows);
    if (std::holds_alternative<CopyOp>(op) && takes_one(fail_copies))
      return {CL_MEM_OBJECT_ALLOCATION_FAILURE, "the fake refuses a copy on request", {}, Fault::memory, index};
    if (const auto* copy = std::get_if<CopyOp>(&op))
      std::memcpy(memory_of(copy->to).data() + copy->to_offset, memory_of(copy->from).data() + copy->from_offset,
                  copy->bytes);
    if (const auto* copy = std::get_if<CopyRectOp>(&op)) {
      ++counters.copies;
      copy_rectangle(*copy);
    }
    if (const auto* fill = std::get_if<FillOp>(&op)) {
      ++counters.fills;
      if (takes_one(fail_fills))
        return {CL_MEM_OBJECT_ALLOCATION_FAILURE, "the fake refuses a fill on request", {}, Fault::memory, index};
      fill_bytes(*fill);
    }
    if (const auto* run = std::get_if<RunOp>(&op)) {
      if (takes_one(refuse_runs))
        return {CL_OUT_OF_RESOURCES, "the fake refuses a run on request", {}, Fault::resources, index};
      if (takes_one(fail_runs)) {
        if (fail_late) execute(*run);
        return {run_code.load(), "the fake fails on request", {}, run_fault.load()};
      }
      if (run->saved != nullptr) {
        ++counters.runs_inside;
        result.left = execute_inside(*run, index);
        continue;
      }
      const std::uint64_t ran = execute(*run);
      if (ran < run->range.group_total()) result.left = {index, ran};
      if (const std::uint64_t ns = ns_per_group.load(); ns != 0 && batch.want_times) {
        result.times.resize(batch.work().size(), OpTime{1, 2, 1});
        result.times[index].device_ns = ns * ran;
      }
      if (result.left) break;
    }
  }
  if (times && batch.want_times) result.times = times(batch);
  return result;
}

}  // namespace skmd::icd::test
