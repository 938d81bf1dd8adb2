// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/mover.h"

#include <algorithm>
#include <new>
#include <utility>

#include "intercept/memory/fetch.h"

namespace skmd::icd {

void BatchGroup::submit(Device& device, Batch&& batch, std::function<void(const BatchResult&)> done) {
  batch.done = [state = state_, done = std::move(done)](BatchResult&& result) {
    if (done) done(result);
    const MutexGuard lock(state->mutex);
    if (result.status != CL_SUCCESS && state->status == CL_SUCCESS) {
      state->status = result.status;
      state->reason.swap(result.reason);
    }
    // Notified under the lock: the waiter may be the last owner besides this function.
    if (--state->running == 0) state->ended.notify_all();
  };
  {
    const MutexGuard lock(state_->mutex);
    // Nothing may fail once it is submitted.
    const std::size_t needed = tickets_.size() + submitting_ + 1;
    if (needed > tickets_.capacity()) tickets_.reserve(2 * needed);
    ++submitting_;
    ++state_->running;
  }
  try {
    const Ticket ticket = device.submit(std::move(batch));
    const MutexGuard lock(state_->mutex);
    --submitting_;
    tickets_.emplace_back(&device, ticket);
    if (waiting_) state_->ended.notify_all();
  } catch (const std::bad_alloc&) {  // it was not submitted
    const MutexGuard lock(state_->mutex);
    --submitting_;
    --state_->running;
    throw;
  }
}

Status BatchGroup::wait() {
  MutexLock lock(state_->mutex);
  waiting_ = true;
  for (std::size_t helped = 0;; ++helped) {
    // Batches that end may have submitted others.
    state_->ended.wait(lock,
                       [&]() SKMD_REQUIRES(state_->mutex) { return helped < tickets_.size() || state_->running == 0; });
    if (helped == tickets_.size()) break;
    const auto [device, ticket] = tickets_[helped];
    lock.unlock();
    device->help(ticket);
    lock.lock();
  }
  if (state_->status != CL_SUCCESS) return domain::Error{state_->status, state_->reason};
  return {};
}

std::uint32_t device_of_space(const Machine& machine, domain::SpaceId space) {
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i)
    if (machine.devices[i]->description().space == space) return i;
  return 0;
}

namespace {

void sort_unique(std::vector<Storage*>& roots) {
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
}

}  // namespace

std::shared_ptr<const void> locked_pages(Machine& machine, std::uint32_t device, const std::byte* host,
                                         const domain::RangeSet& ranges) {
  if (ranges.empty()) return nullptr;
  const domain::ByteRange hull = ranges.hull();
  return machine.pages.locked(device, host + hull.begin, hull.size(), ranges.bytes());
}

void append_reads(const Storage& root, const std::shared_ptr<NativeMemory>& native, std::byte* host,
                  const domain::RangeSet& ranges, std::vector<Op>& ops, const std::shared_ptr<const void>& locked) {
  for (const domain::RowRun& rows : domain::row_runs(ranges)) {
    if (root.is_image()) {
      ops.emplace_back(ReadImageOp{native, host, rows});
    } else {
      ops.emplace_back(ReadOp{native, host, rows, false, locked});
    }
  }
}

void append_writes(const Storage& root, const std::shared_ptr<NativeMemory>& native, const std::byte* host,
                   const domain::RangeSet& ranges, std::vector<Op>& ops, const std::shared_ptr<const void>& locked) {
  for (const domain::RowRun& rows : domain::row_runs(ranges)) {
    if (root.is_image()) {
      ops.emplace_back(WriteImageOp{native, host, rows});
    } else {
      ops.emplace_back(WriteOp{native, host, rows, locked});
    }
  }
}

MoveGuard::MoveGuard(std::vector<Storage*> roots) : roots_(std::move(roots)) {
  sort_unique(roots_);
  for (Storage* root : roots_) root->move_mutex().lock();
}

MoveGuard::~MoveGuard() {
  for (auto it = roots_.rbegin(); it != roots_.rend(); ++it) (*it)->move_mutex().unlock();
}

MovePlan MovePlan::make(Machine& machine, const MoveNeeds& needs) {
  MovePlan plan(machine);
  domain::InlineVector<domain::Need> missed;
  for (const MoveNeed& need : needs) {
    const domain::SpaceId space =
        need.device == MoveNeed::kHost ? domain::kHostSpace : machine.devices[need.device]->description().space;
    if (need.storage->holds(space, need.ranges)) continue;
    const auto* const found = std::find(plan.roots_.begin(), plan.roots_.end(), need.storage);
    const auto root = static_cast<std::uint32_t>(found - plan.roots_.begin());
    if (found == plan.roots_.end()) {
      plan.roots_.push_back(need.storage);
      plan.host_needs_.push_back({});
    }
    if (space == domain::kHostSpace) plan.host_needs_[root].add(need.ranges);
    missed.push_back({root, space, need.ranges});
  }
  for (std::uint32_t r = 0; r < plan.roots_.size(); ++r) {
    Storage& root = *plan.roots_[r];
    const MutexGuard lock(root.mutex());
    root.leave_lost_copies();
    domain::add_transfers(r, {missed.begin(), missed.end()}, root.residency(), plan.list_);
  }
  return plan;
}

Result<MovePlan> MovePlan::gathered(Machine& machine, const std::function<MoveNeeds()>& needs, const char* what) {
  for (;;) {
    const std::uint32_t losses = machine.losses.load(std::memory_order_acquire);
    MovePlan plan = make(machine, needs());
    const Status status = plan.gather(what);
    if (status) return plan;
    if (machine.losses.load(std::memory_order_acquire) == losses) return status.error();
  }
}

Result<std::byte*> MovePlan::target_of(const domain::Transfer& gather) {
  Storage& root = *roots_[gather.root];
  if (!host_needs_[gather.root].intersects(gather.ranges)) {
    if (auto block = root.exchange_block(device_of_space(*machine_, gather.from), gather.ranges)) {
      std::byte* const host = block->host() - gather.ranges.hull().begin;
      exchanges_.push_back({gather.root, gather.ranges, host, std::move(block)});
      return host;
    }
  }
  return root.host();
}

bool MovePlan::is_exchanged(const domain::Transfer& gather) const {
  return std::any_of(exchanges_.begin(), exchanges_.end(), [&](const Exchange& exchange) {
    return exchange.root == gather.root && exchange.ranges == gather.ranges;
  });
}

Status MovePlan::gather(const char* what) {
  std::vector<Fetch> fetches;
  for (const domain::Transfer& transfer : list_.gathers) {
    auto to = target_of(transfer);
    if (!to) return to.error();
    fetches.push_back({roots_[transfer.root], device_of_space(*machine_, transfer.from), *to, transfer.ranges});
  }
  if (Status status = fetch(*machine_, fetches, what); !status) return status;
  for (const domain::Transfer& transfer : list_.gathers) {
    if (is_exchanged(transfer)) continue;
    Storage& root = *roots_[transfer.root];
    const MutexGuard lock(root.mutex());
    root.residency().copied(domain::kHostSpace, transfer.ranges);
  }
  return {};
}

Status MovePlan::append_uploads(std::uint32_t device, const domain::Transfer& upload, std::vector<Op>& ops) {
  Storage& root = *roots_[upload.root];
  auto native = root.native(device);
  if (!native) return native.error();
  const auto append = [&](const std::byte* host, const domain::RangeSet& ranges) {
    append_writes(root, *native, host, ranges, ops, locked_pages(*machine_, device, host, ranges));
  };
  domain::RangeSet in_host_copy = upload.ranges;
  for (const Exchange& exchange : exchanges_) {
    if (exchange.root != upload.root) continue;
    const domain::RangeSet part = upload.ranges.intersection(exchange.ranges);
    if (part.empty()) continue;
    append(exchange.host, part);
    in_host_copy.remove(part);
  }
  if (in_host_copy.empty()) return {};
  auto host = root.host();
  if (!host) return host.error();
  append(*host, in_host_copy);
  return {};
}

Result<std::vector<Op>> MovePlan::upload_ops(std::uint32_t device) {
  const domain::SpaceId space = machine_->devices[device]->description().space;
  std::vector<Op> ops;
  if (space == domain::kHostSpace) return ops;
  ops.reserve(list_.uploads.size() + list_.fills.size() + 1);  // and a launch behind them
  for (const domain::Transfer& transfer : list_.uploads) {
    if (transfer.to != space) continue;
    if (Status status = append_uploads(device, transfer, ops); !status) return status.error();
  }
  for (const domain::ZeroFill& fill : list_.fills) {
    if (fill.space != space) continue;
    Storage& root = *roots_[fill.root];
    auto native = root.native(device);
    if (!native) return native.error();
    if (root.is_image()) {
      auto host = root.host();
      if (!host) return host.error();
      append_writes(root, *native, *host, fill.ranges, ops);  // never written: the shadow is zero
      continue;
    }
    for (const domain::ByteRange& range : fill.ranges.ranges())
      ops.emplace_back(FillOp{*native, std::vector<std::byte>(1), range.begin, range.size()});
  }
  return ops;
}

std::uint64_t MovePlan::upload_bytes(std::uint32_t device) const {
  const domain::SpaceId space = machine_->devices[device]->description().space;
  std::uint64_t bytes = 0;
  for (const domain::Transfer& transfer : list_.uploads)
    if (transfer.to == space) bytes += transfer.ranges.bytes();
  return bytes;
}

domain::RangeSet MovePlan::upload_sources(const Storage* storage) const {
  domain::RangeSet ranges;
  for (const domain::Transfer& transfer : list_.uploads)
    if (roots_[transfer.root] == storage) ranges.add(transfer.ranges);
  return ranges;
}

bool still_valid(const Machine& machine, Storage& storage, std::uint32_t device, const domain::RangeSet& ranges) {
  if (ranges.empty()) return true;
  const domain::SpaceId space = machine.devices[device]->description().space;
  const MutexGuard lock(storage.mutex());
  return storage.residency().missing_bytes(space, ranges) == 0;
}

void MovePlan::revoke_uploads(std::uint32_t device) {
  const domain::SpaceId target = machine_->devices[device]->description().space;
  const auto revoke = [&](std::uint32_t index, domain::SpaceId space, const domain::RangeSet& ranges) {
    if (space == domain::kHostSpace || space != target) return;
    Storage& root = *roots_[index];
    const MutexGuard lock(root.mutex());
    root.residency().withdrawn(space, ranges);
  };
  for (const domain::Transfer& transfer : list_.uploads) revoke(transfer.root, transfer.to, transfer.ranges);
  for (const domain::ZeroFill& fill : list_.fills) revoke(fill.root, fill.space, fill.ranges);
}

void MovePlan::commit_uploads() {
  for (const domain::Transfer& transfer : list_.uploads) {
    Storage& root = *roots_[transfer.root];
    const MutexGuard lock(root.mutex());
    root.residency().copied(transfer.to, transfer.ranges);
  }
  // Bytes that were never written are zero in the shadow and now on the device too: they are defined from here on.
  // First all of them in host memory, then the copies: two devices may have filled the same bytes.
  for (const domain::ZeroFill& fill : list_.fills) {
    Storage& root = *roots_[fill.root];
    const MutexGuard lock(root.mutex());
    root.residency().written(domain::kHostSpace, root.residency().undefined(fill.ranges));
  }
  for (const domain::ZeroFill& fill : list_.fills) {
    Storage& root = *roots_[fill.root];
    const MutexGuard lock(root.mutex());
    root.residency().copied(fill.space, fill.ranges);
  }
}

}  // namespace skmd::icd
