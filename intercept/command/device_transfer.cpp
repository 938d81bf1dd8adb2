// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/device_transfer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/command/command_constants.h"
#include "intercept/command/transfer_way.h"
#include "intercept/memory/bytes.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/recovery.h"
#include "intercept/memory/submission.h"
#include "intercept/object/context.h"

namespace skmd::icd {

namespace {

using namespace tuning;

domain::ByteRange source_of(const DeviceTransfer& copy) {
  return {copy.from_offset, copy.from_offset + copy.range.size()};
}

/// On its way: kept alive by its batch's completion.
class InFlight : public std::enable_shared_from_this<InFlight> {
 public:
  /// `failures`: of the device, before `lock` was taken. `way`: of a read or write.
  InFlight(DeviceTransfer transfer, std::uint32_t device, std::uint32_t failures, TransferWay way, Ref<Event> event,
           std::shared_ptr<Command> command, RangeLock lock)
      : transfer_(std::move(transfer)),
        device_(device),
        failures_(failures),
        way_(std::move(way)),
        event_(std::move(event)),
        command_(std::move(command)),
        lock_(std::move(lock)) {}

  /// False: nothing was done.
  bool submit();

 private:
  [[nodiscard]] Machine& machine() const { return transfer_.root->machine(); }
  [[nodiscard]] domain::SpaceId space() const { return machine().devices[device_]->description().space; }
  [[nodiscard]] bool reads() const { return transfer_.kind == DeviceTransfer::Kind::read; }
  [[nodiscard]] bool copies() const { return transfer_.kind == DeviceTransfer::Kind::copy; }
  /// Whether the bytes that it takes are where they have to be. Precondition: the roots' move mutexes are held
  /// (Submission).
  [[nodiscard]] bool has_source() const;
  /// On the native objects of its range and, of a copy, of its source.
  [[nodiscard]] Op op(std::shared_ptr<NativeMemory> native, std::shared_ptr<NativeMemory> from) const;
  void landed(BatchResult&& result);
  /// The transfer ended well, but something before it has to be done again: that would cover what was written, or
  /// gives what should have been read.
  [[nodiscard]] bool misled() const;
  void redo();
  /// Residency as if it had never been submitted. Bytes that only the device had are lost, also those of a write that
  /// the driver refused: parts of it may have been written.
  void take_back(LostRanges& lost_ranges) const;
  /// Instead of redo(), where there is no memory for it: the device's copy of the range no longer counts.
  void give_up() const noexcept;
  void again(LostRanges& lost_ranges);
  Status in_host_memory(LostRanges& lost_ranges);
  void report(const BatchResult& result);
  /// Tells the link's rate, if the device was asked for it and knows.
  void learn(const BatchResult& result) const;
  /// Releases everything that the transfer holds, then completes the event, so that a release by the application
  /// afterwards is the last one.
  void end(cl_int status);

  DeviceTransfer transfer_;
  std::uint32_t device_;
  std::uint32_t failures_;
  TransferWay way_;
  bool asks_ = false;  // for the link's rate
  Ref<Event> event_;
  std::shared_ptr<Command> command_;
  RangeLock lock_;
  std::uint64_t begin_ = 0;
  std::vector<domain::ResidencyMap::Piece> before_;  // where the bytes were that a write replaces
};

/// The device that has all bytes of `range`, if host memory has none of them.
std::optional<std::uint32_t> only_owner(Storage& root, const domain::ByteRange& range) {
  const MutexGuard lock(root.mutex());
  root.leave_lost_copies();
  domain::SpaceMask common = ~domain::SpaceMask{1};
  for (const auto& piece : root.residency().pieces(range)) {
    if ((piece.valid & 1u) != 0) return std::nullopt;
    common &= piece.valid;
  }
  if (common == 0) return std::nullopt;
  return device_of_space(root.machine(), static_cast<domain::SpaceId>(__builtin_ctzll(common)));
}

/// A device that has all bytes of a copy; none where host memory is the better place.
std::optional<std::uint32_t> owner_of_source(const DeviceTransfer& transfer) {
  Storage& from = *transfer.from;
  const domain::ByteRange range = source_of(transfer);
  const MutexGuard lock(from.mutex());
  from.leave_lost_copies();
  domain::SpaceMask common = ~domain::SpaceMask{0};
  for (const auto& piece : from.residency().pieces(range)) common &= piece.valid;
  const bool on_host = (common & 1u) != 0;
  common &= ~domain::SpaceMask{1};
  if (common == 0 || (on_host && range.size() < kLeastInside)) return std::nullopt;
  return device_of_space(from.machine(), static_cast<domain::SpaceId>(__builtin_ctzll(common)));
}

bool InFlight::has_source() const {
  if (reads()) return only_owner(*transfer_.root, transfer_.range) == device_;
  return !copies() || owner_of_source(transfer_) == device_;
}

Op InFlight::op(std::shared_ptr<NativeMemory> native, std::shared_ptr<NativeMemory> from) const {
  const domain::ByteRange& range = transfer_.range;
  const domain::RowRun row{range.begin, range.size(), range.size(), 1};
  switch (transfer_.kind) {
    case DeviceTransfer::Kind::write:
      return WriteOp{std::move(native), transfer_.memory - range.begin, row, way_.locked};
    case DeviceTransfer::Kind::copy:
      return CopyOp{std::move(from), std::move(native), transfer_.from_offset, range.begin, range.size()};
    case DeviceTransfer::Kind::fill: {
      std::vector<std::byte> pattern = transfer_.pattern;  // not within the braces: see FillCommand::start()
      return FillOp{std::move(native), std::move(pattern), range.begin, range.size()};
    }
    case DeviceTransfer::Kind::read:
      break;
  }
  if (way_.loan.piece() != nullptr) return ReadOp{std::move(native), way_.loan.piece(), row, true};
  return ReadOp{std::move(native), transfer_.memory - range.begin, row, false, way_.locked};
}

bool InFlight::submit() {
  std::vector<std::shared_ptr<Storage>> roots{transfer_.root};
  if (copies() && transfer_.from != transfer_.root) roots.push_back(transfer_.from);
  Submission submission(roots);
  if (!submission.holds() || !has_source() || !(reads() || takes_work(machine(), device_))) return false;
  Storage& root = *transfer_.root;
  auto native = root.native(device_);
  auto from = copies() ? transfer_.from->native(device_) : Result<std::shared_ptr<NativeMemory>>(nullptr);
  if (!native || !from) return false;
  Device& device = *machine().devices[device_];
  Batch batch;
  batch.ops.push_back(op(std::move(*native), std::move(*from)));
  asks_ = way_.locked != nullptr && LinkRates::get().asks(device_, transfer_.range.size());
  batch.want_times = asks_ || event_->profiled() || machine().observer->wants_times();
  batch.awaited = event_->awaited() && !batch.want_times;
  batch.helped = true;
  batch.done = [flight = shared_from_this()](BatchResult&& result) { flight->landed(std::move(result)); };
  if (!reads()) {
    const MutexGuard lock(root.mutex());
    before_ = root.residency().pieces(transfer_.range);
    root.residency().written(space(), transfer_.range);
  }
  if (transfer_.kind == DeviceTransfer::Kind::write) root.usage().rewritten(transfer_.range.size());
  if (reads()) root.usage().read_back(transfer_.range.size(), true);
  event_->advance(CL_SUBMITTED);
  if (event_->profiled()) begin_ = host_now();
  const Ref<Event> event = event_;  // landed() lets go of it
  Ticket ticket = 0;
  try {
    ticket = device.submit(std::move(batch));
  } catch (const std::bad_alloc&) {  // nothing was submitted
    const MutexGuard lock(root.mutex());
    root.residency().restored(before_);
    throw;
  }
  submission.unlock();
  event->set_native(&device, ticket);
  return true;
}

bool InFlight::misled() const {
  if (machine().devices[device_]->health()->failures() == failures_) return false;
  if (lock_.overtook()) return true;
  if (reads()) return !still_valid(machine(), *transfer_.root, device_, transfer_.range);
  return copies() && !still_valid(machine(), *transfer_.from, device_, source_of(transfer_));
}

void InFlight::landed(BatchResult&& result) {
  try {
    if (result.status != CL_SUCCESS || misled()) return redo();
  } catch (const std::bad_alloc&) {  // no memory to find out how it ended, or to run it again
    give_up();
    return end(CL_OUT_OF_HOST_MEMORY);
  }
  if (way_.loan.piece() != nullptr) std::memcpy(transfer_.memory, way_.loan.piece(), transfer_.range.size());
  learn(result);
  report(result);
  const bool timed = !result.times.empty();
  event_->work_started(timed ? result.times.front().start : begin_);
  event_->work_ended(timed ? result.times.back().end : host_now());
  end(CL_COMPLETE);
}

void InFlight::redo() {
  event_->leave_device();
  lock_.unchain();
  Recovery::get().add(machine(), *machine().devices[device_],
                      {[flight = shared_from_this()](LostRanges& lost_ranges) { flight->take_back(lost_ranges); },
                       [flight = shared_from_this()](LostRanges& lost_ranges) { flight->again(lost_ranges); }});
}

void InFlight::end(cl_int status) {
  const Ref<Event> event = std::move(event_);
  lock_.release();
  command_.reset();
  transfer_.root.reset();
  transfer_.from.reset();
  way_.locked.reset();
  event->complete(status);
}

void InFlight::learn(const BatchResult& result) const {
  if (!asks_ || result.times.empty()) return;
  const std::uint64_t nanoseconds = result.times.back().device_ns;
  if (reads())
    LinkRates::get().learn_from(device_, transfer_.range.size(), nanoseconds);
  else
    LinkRates::get().learn_to(device_, transfer_.range.size(), nanoseconds);
}

void InFlight::report(const BatchResult& result) {
  if (copies() || transfer_.kind == DeviceTransfer::Kind::fill) return;  // over no link
  try {
    const std::uint64_t bytes = transfer_.range.size();
    TransferReport report{device_, reads() ? 0 : bytes, reads() ? bytes : 0, 0, 0, reads() ? "read" : "write"};
    if (!result.times.empty()) {
      report.start = result.times.front().start;
      report.end = result.times.back().end;
    }
    machine().observer->transfer(report);
  } catch (const std::bad_alloc&) {  // only the report is lost
  }
}

void InFlight::give_up() const noexcept {
  if (reads()) return;
  const MutexGuard lock(transfer_.root->mutex());
  transfer_.root->residency().withdrawn(space(), transfer_.range);
}

void InFlight::take_back(LostRanges& lost_ranges) const {
  if (before_.empty()) return;
  const domain::SpaceMask here = domain::SpaceMask{1} << space();
  domain::RangeSet lost;
  std::vector<domain::ResidencyMap::Piece> old = before_;
  const auto later = lost_ranges.find(transfer_.root);
  for (auto& piece : old) {
    if (piece.valid == here) {
      lost.add(piece.range);
      continue;
    }
    piece.valid &= ~here;
    if (later != lost_ranges.end()) later->second.remove(piece.range);  // of what came later and was taken back before
  }
  lost.remove(transfer_.root->write_mapped());
  {
    const MutexGuard lock(transfer_.root->mutex());
    transfer_.root->residency().restored(old);
  }
  if (!lost.empty()) lost_ranges[transfer_.root].add(lost);
}

bool is_lost(const LostRanges& lost_ranges, const std::shared_ptr<Storage>& root, const domain::ByteRange& range) {
  const auto found = lost_ranges.find(root);
  return found != lost_ranges.end() && found->second.intersects(range);
}

Status InFlight::in_host_memory(LostRanges& lost_ranges) {
  const domain::ByteRange& range = transfer_.range;
  if (reads()) {
    if (is_lost(lost_ranges, transfer_.root, range))
      return domain::Error{CL_OUT_OF_RESOURCES, "the bytes to read were lost on a device"};
    return read_bytes(*transfer_.root, range.begin, transfer_.memory, range.size());
  }
  if (copies()) {
    if (is_lost(lost_ranges, transfer_.from, source_of(transfer_)))
      return domain::Error{CL_OUT_OF_RESOURCES, "the bytes to copy were lost on a device"};
    Status copied = copy_bytes(*transfer_.from, transfer_.from_offset, *transfer_.root, range.begin, range.size());
    if (!copied) return copied;
  } else {
    auto host = transfer_.root->host();
    if (!host) return host.error();
    if (transfer_.kind == DeviceTransfer::Kind::write)
      copy_host(*host + range.begin, transfer_.memory, range.size());
    else
      repeat_pattern(*host + range.begin, range.size(), transfer_.pattern);
    transfer_.root->host_written(range);
  }
  if (const auto found = lost_ranges.find(transfer_.root); found != lost_ranges.end()) found->second.remove(range);
  return {};
}

void InFlight::again(LostRanges& lost_ranges) {
  event_->work_started(begin_);
  // What it waits for has ended: all of that was on the same device before it, or is in the list before it.
  if (event_->dependency_failed()) return end(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_int status = CL_COMPLETE;
  try {
    if (const Status done = in_host_memory(lost_ranges); !done) status = command_status(done.error().code);
  } catch (const std::bad_alloc&) {
    status = CL_OUT_OF_HOST_MEMORY;
  }
  end(status);
}

std::optional<std::uint32_t> reader_of(const DeviceTransfer& transfer) {
  if (transfer.root->is_host(transfer.memory, transfer.range.size())) return std::nullopt;
  // Where several devices use a buffer, what is read stays in host memory for those that use that.
  const auto user = transfer.root->usage().likely_user();
  const auto owner = user ? only_owner(*transfer.root, transfer.range) : std::nullopt;
  return owner == user ? owner : std::nullopt;
}

std::optional<std::uint32_t> filler_of(const DeviceTransfer& transfer) {
  const domain::ByteRange& range = transfer.range;
  const std::uint64_t width = transfer.pattern.size();
  // Drivers want offset and size in whole patterns.
  if (range.size() <= kLeastInside || range.begin % width != 0 || range.size() % width != 0) return std::nullopt;
  return transfer.root->borrows_host() ? std::nullopt : transfer.root->usage().likely_user();
}

std::optional<std::uint32_t> target_of(const DeviceTransfer& transfer) {
  const std::uint64_t bytes = transfer.range.size();
  if (bytes == 0 || transfer.root->is_image()) return std::nullopt;
  switch (transfer.kind) {
    case DeviceTransfer::Kind::write:
      return direct_target(*transfer.root, transfer.memory, bytes);
    case DeviceTransfer::Kind::read:
      return reader_of(transfer);
    case DeviceTransfer::Kind::copy:
      return transfer.from->is_image() ? std::nullopt : owner_of_source(transfer);
    case DeviceTransfer::Kind::fill:
      return filler_of(transfer);
  }
  return std::nullopt;
}

std::vector<Claim> claims_of(const DeviceTransfer& transfer) {
  std::vector<Claim> claims{claim_on(transfer.root, transfer.range, transfer.kind != DeviceTransfer::Kind::read)};
  if (transfer.kind == DeviceTransfer::Kind::copy)
    claims.push_back(claim_on(transfer.from, source_of(transfer), false));
  return claims;
}

}  // namespace

bool start_on_device(const DeviceTransfer& transfer, Device* behind, const Ref<Event>& event,
                     const std::shared_ptr<Command>& self) {
  const auto target = target_of(transfer);
  if (!target) return false;
  Device& device = *transfer.root->machine().devices[*target];
  if ((behind != nullptr && behind != &device) || device.health()->aside()) return false;
  auto way = way_of(transfer, *target);
  if (!way) return false;
  const Health::Window window(*device.health());
  const std::uint32_t failures = device.health()->failures();
  auto lock = RangeLock::try_take(claims_of(transfer), &device);
  if (!lock) return false;
  return std::make_shared<InFlight>(transfer, *target, failures, std::move(*way), event, self, std::move(*lock))
      ->submit();
}

}  // namespace skmd::icd
