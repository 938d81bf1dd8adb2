// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/device_transfer.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "intercept/backend/host_code.h"
#include "intercept/object/context.h"
#include "intercept/object/mover.h"
#include "intercept/object/recovery.h"
#include "intercept/object/submission.h"

namespace skmd::icd {

namespace {

/// Drivers copy pageable memory inside the enqueue, or several threads of ours do: a fraction of a millisecond.
constexpr std::uint64_t kMostWritten = std::uint64_t{4} << 20;
/// Few bytes are there sooner if they are asked for when the launch before has ended (docs/devices/nvidia.md). More
/// than a megabyte comes in pieces through page-locked memory.
constexpr std::uint64_t kLeastRead = std::uint64_t{128} << 10;
constexpr std::uint64_t kMostRead = std::uint64_t{1} << 20;

/// On its way: kept alive by its batch's completion.
class InFlight : public std::enable_shared_from_this<InFlight> {
 public:
  /// `failures`: of the device, before `lock` was taken.
  InFlight(DeviceTransfer transfer, std::uint32_t device, std::uint32_t failures, Ref<Event> event,
           std::shared_ptr<Command> command, RangeLock lock)
      : transfer_(std::move(transfer)),
        device_(device),
        failures_(failures),
        event_(std::move(event)),
        command_(std::move(command)),
        lock_(std::move(lock)) {}

  /// False: nothing was done.
  bool submit();

 private:
  [[nodiscard]] Machine& machine() const { return transfer_.root->machine(); }
  [[nodiscard]] domain::SpaceId space() const { return machine().devices[device_]->description().space; }
  [[nodiscard]] bool writes() const { return transfer_.kind == DeviceTransfer::Kind::write; }
  [[nodiscard]] Op op(std::shared_ptr<NativeMemory> native) const;
  void landed(BatchResult&& result);
  /// The transfer ended well, but something before it has to be done again: that would cover what was written, or
  /// gives what should have been read.
  [[nodiscard]] bool misled() const;
  void redo();
  /// Residency as if it had never been submitted. Bytes that only the device had are spoilt: also of a write that the
  /// driver refused, parts may be there.
  void take_back(Spoilt& spoilt) const;
  /// Without memory to find out what was there before.
  void give_up() const noexcept;
  void again(Spoilt& spoilt);
  Status in_host_memory(Spoilt& spoilt);
  void report(const BatchResult& result);
  /// Lets go of everything before anybody can see the end, so that a release afterwards is really the last.
  void end(cl_int status);

  DeviceTransfer transfer_;
  std::uint32_t device_;
  std::uint32_t failures_;
  Ref<Event> event_;
  std::shared_ptr<Command> command_;
  RangeLock lock_;
  std::vector<domain::ResidencyMap::Piece> before_;  // where the bytes were that a write replaces
};

/// The device that has all bytes of `range`, if host memory has none of them.
std::optional<std::uint32_t> only_owner(Storage& root, const domain::ByteRange& range) {
  const std::lock_guard lock(root.mutex());
  root.leave_lost_copies();
  domain::SpaceMask common = ~domain::SpaceMask{1};
  for (const auto& piece : root.residency().pieces(range)) {
    if ((piece.valid & 1u) != 0) return std::nullopt;
    common &= piece.valid;
  }
  if (common == 0) return std::nullopt;
  return device_of_space(root.machine(), static_cast<domain::SpaceId>(__builtin_ctzll(common)));
}

Op InFlight::op(std::shared_ptr<NativeMemory> native) const {
  const domain::ByteRange& range = transfer_.range;
  const domain::RowRun row{range.begin, range.size(), range.size(), 1};
  if (writes()) return WriteOp{std::move(native), transfer_.memory - range.begin, row};
  return ReadOp{std::move(native), transfer_.memory - range.begin, row};
}

bool InFlight::submit() {
  const std::vector<std::shared_ptr<Storage>> roots{transfer_.root};
  Submission submission(roots);
  if (!submission.holds()) return false;
  Storage& root = *transfer_.root;
  if (!writes() && only_owner(root, transfer_.range) != device_) return false;
  auto native = root.native(device_);
  if (!native) return false;
  Device& device = *machine().devices[device_];
  Batch batch;
  batch.ops.push_back(op(std::move(*native)));
  batch.want_times = event_->profiled() || machine().observer->wants_times();
  batch.done = [flight = shared_from_this()](BatchResult&& result) { flight->landed(std::move(result)); };
  if (writes()) {
    const std::lock_guard lock(root.mutex());
    before_ = root.residency().pieces(transfer_.range);
    root.residency().written(space(), transfer_.range);
  }
  event_->advance(CL_SUBMITTED);
  event_->work_started(now_ns());
  const Ref<Event> event = event_;  // landed() lets go of it
  Ticket ticket = 0;
  try {
    ticket = device.submit(std::move(batch));
  } catch (const std::bad_alloc&) {  // nothing was submitted
    const std::lock_guard lock(root.mutex());
    root.residency().restored(before_);
    throw;
  }
  submission.unlock();
  event->set_native(&device, ticket);
  return true;
}

bool InFlight::misled() const {
  if (machine().devices[device_]->health()->failures() == failures_) return false;
  return lock_.overtook() || (!writes() && !still_valid(machine(), *transfer_.root, device_, transfer_.range));
}

void InFlight::landed(BatchResult&& result) {
  if (result.status != CL_SUCCESS || misled()) return redo();
  report(result);
  event_->work_ended(now_ns());
  end(CL_COMPLETE);
}

void InFlight::redo() {
  try {
    event_->leave_device();
    lock_.unchain();
    Recovery::get().add(machine(), *machine().devices[device_],
                        {[flight = shared_from_this()](Spoilt& spoilt) { flight->take_back(spoilt); },
                         [flight = shared_from_this()](Spoilt& spoilt) { flight->again(spoilt); }});
  } catch (const std::bad_alloc&) {  // nobody can do it again
    give_up();
    end(CL_OUT_OF_HOST_MEMORY);
  }
}

void InFlight::end(cl_int status) {
  const Ref<Event> event = std::move(event_);
  lock_.release();
  command_.reset();
  transfer_.root.reset();
  event->complete(status);
}

void InFlight::report(const BatchResult& result) {
  try {
    const std::uint64_t bytes = transfer_.range.size();
    TransferReport report{device_, writes() ? bytes : 0, writes() ? 0 : bytes, 0, 0, writes() ? "write" : "read"};
    if (!result.times.empty()) {
      report.start = result.times.front().start;
      report.end = result.times.back().end;
    }
    machine().observer->transfer(report);
  } catch (const std::bad_alloc&) {  // only the books miss something
  }
}

void InFlight::give_up() const noexcept {
  if (!writes()) return;
  const std::lock_guard lock(transfer_.root->mutex());
  transfer_.root->residency().withdrawn(space(), transfer_.range);
}

void InFlight::take_back(Spoilt& spoilt) const {
  if (before_.empty()) return;
  const domain::SpaceMask here = domain::SpaceMask{1} << space();
  domain::RangeSet lost;
  std::vector<domain::ResidencyMap::Piece> old = before_;
  const auto later = spoilt.find(transfer_.root);
  for (auto& piece : old) {
    if (piece.valid == here) {
      lost.add(piece.range);
      continue;
    }
    piece.valid &= ~here;
    if (later != spoilt.end()) later->second.remove(piece.range);  // of what came later and was taken back before
  }
  lost.remove(transfer_.root->write_mapped());
  {
    const std::lock_guard lock(transfer_.root->mutex());
    transfer_.root->residency().restored(old);
  }
  if (!lost.empty()) spoilt[transfer_.root].add(lost);
}

Status InFlight::in_host_memory(Spoilt& spoilt) {
  const domain::ByteRange& range = transfer_.range;
  const auto spoilt_bytes = spoilt.find(transfer_.root);
  if (!writes()) {
    if (spoilt_bytes != spoilt.end() && spoilt_bytes->second.intersects(range))
      return domain::Error{CL_OUT_OF_RESOURCES, "the bytes to read were lost on a device"};
    return read_bytes(*transfer_.root, range.begin, transfer_.memory, range.size());
  }
  auto host = transfer_.root->host();
  if (!host) return host.error();
  copy_host(*host + range.begin, transfer_.memory, range.size());
  transfer_.root->host_written(range);
  if (spoilt_bytes != spoilt.end()) spoilt_bytes->second.remove(range);
  return {};
}

void InFlight::again(Spoilt& spoilt) {
  // What it waits for has ended: all of that was on the same device before it, or is in the list before it.
  if (event_->dependency_failed()) return end(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_int status = CL_COMPLETE;
  try {
    if (const Status done = in_host_memory(spoilt); !done) status = command_status(done.error().code);
  } catch (const std::bad_alloc&) {
    status = CL_OUT_OF_HOST_MEMORY;
  }
  end(status);
}

std::optional<std::uint32_t> target_of(const DeviceTransfer& transfer) {
  const std::uint64_t bytes = transfer.range.size();
  if (transfer.kind == DeviceTransfer::Kind::write)
    return bytes > kMostWritten ? std::nullopt : direct_target(*transfer.root, transfer.memory, bytes);
  if (bytes < kLeastRead || bytes > kMostRead || transfer.root->is_image() ||
      transfer.root->is_host(transfer.memory, bytes))
    return std::nullopt;
  // Where several devices use a buffer, what is read stays in host memory for those that use that.
  const auto user = transfer.root->likely_user();
  const auto owner = user ? only_owner(*transfer.root, transfer.range) : std::nullopt;
  return owner == user ? owner : std::nullopt;
}

}  // namespace

bool start_on_device(const DeviceTransfer& transfer, Device* behind, const Ref<Event>& event,
                     const std::shared_ptr<Command>& self) {
  const auto target = target_of(transfer);
  if (!target) return false;
  Device& device = *transfer.root->machine().devices[*target];
  if ((behind != nullptr && behind != &device) || device.health()->aside()) return false;
  const Health::Window window(*device.health());
  const std::uint32_t failures = device.health()->failures();
  auto lock =
      RangeLock::try_take({{transfer.root, transfer.range, transfer.kind == DeviceTransfer::Kind::write}}, &device);
  if (!lock) return false;
  return std::make_shared<InFlight>(transfer, *target, failures, event, self, std::move(*lock))->submit();
}

}  // namespace skmd::icd
