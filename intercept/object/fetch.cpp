// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/fetch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "intercept/backend/host_code.h"
#include "intercept/backend/pinned_pieces.h"
#include "intercept/object/event.h"
#include "intercept/object/link_rates.h"
#include "intercept/object/mover.h"

namespace skmd::icd {

namespace {

/// Narrower ranges cost more to enqueue one by one than a vendor's own copy of rows.
constexpr std::uint64_t kNarrowest = std::uint64_t{256} << 10;

/// One fetch by page-locked pieces: threads take turns at asking for a piece of the bytes, and copy what has come.
class StagedFetch {
 public:
  StagedFetch(Device& device, PinnedPieces& pieces, std::shared_ptr<NativeMemory> native, const Fetch& fetch)
      : device_(device), pinned_(pieces), native_(std::move(native)), host_(fetch.host) {
    for (const domain::ByteRange& range : fetch.ranges.ranges())
      for (std::uint64_t at = range.begin; at < range.end; at += kPinnedPiece)
        pieces_.push_back({at, std::min(at + kPinnedPiece, range.end)});
  }

  static bool worth(const domain::RangeSet& ranges) {
    const auto& all = ranges.ranges();
    return ranges.bytes() >= kStagedLeast &&
           std::all_of(all.begin(), all.end(), [](const auto& range) { return range.size() >= kNarrowest; });
  }

  Status run() {
    const std::size_t threads = std::min(kStagingThreads, pieces_.size());
    host_threads([this](std::size_t) { work(); }, threads);
    const std::lock_guard lock(mutex_);
    return failure_ ? Status(*failure_) : Status();
  }
  /// When the first piece had come; 0: none has.
  [[nodiscard]] std::uint64_t first_came() const { return first_came_; }

 private:
  /// A piece on its way. Outlives its batch: whoever asked waits.
  struct Asked {
    domain::ByteRange bytes;
    std::byte* piece = nullptr;
    Ticket ticket = 0;
    cl_int status = CL_SUCCESS;
    std::string reason;
  };

  void work() {
    Asked turns[2];
    for (std::size_t turn = 0;; turn ^= 1) {
      const std::size_t i = failed_.load(std::memory_order_relaxed) ? pieces_.size() : next_.fetch_add(1);
      Asked& older = turns[turn ^ 1];
      if (i >= pieces_.size()) return finish(older);
      Asked& asked = turns[turn];
      asked.piece = pinned_.try_take();
      if (asked.piece == nullptr) {
        finish(older);  // who holds none may wait for one
        asked.piece = pinned_.take();
      }
      ask(asked, pieces_[i]);
      finish(older);
    }
  }

  void ask(Asked& asked, const domain::ByteRange& bytes) {
    asked.bytes = bytes;
    asked.status = CL_SUCCESS;
    try {
      Batch batch;
      batch.ops.emplace_back(ReadOp{native_, asked.piece - bytes.begin, {bytes.begin, bytes.size(), bytes.size(), 1}});
      batch.done = [&asked](BatchResult&& result) {
        asked.status = result.status;
        asked.reason.swap(result.reason);
      };
      asked.ticket = device_.submit(std::move(batch));
    } catch (const std::bad_alloc&) {  // it was not submitted
      asked.ticket = 0;
      asked.status = CL_OUT_OF_HOST_MEMORY;
    }
  }

  void finish(Asked& asked) {
    if (asked.piece == nullptr) return;
    if (asked.ticket != 0) device_.help(asked.ticket);
    std::uint64_t none = 0;
    first_came_.compare_exchange_strong(none, now_ns());
    if (asked.status == CL_SUCCESS)
      std::memcpy(host_ + asked.bytes.begin, asked.piece, asked.bytes.size());
    else
      fail(asked);
    pinned_.give(std::exchange(asked.piece, nullptr));
  }

  void fail(Asked& asked) {
    failed_ = true;
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = domain::Error{asked.status, std::move(asked.reason)};
  }

  Device& device_;
  PinnedPieces& pinned_;
  const std::shared_ptr<NativeMemory> native_;
  std::byte* const host_;
  std::vector<domain::ByteRange> pieces_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> first_came_{0};
  std::mutex mutex_;
  std::optional<domain::Error> failure_;
};

/// What came: told to the observer, and the rate to those who plan.
void account(const Machine& machine, const TransferReport& report) {
  if (report.end > report.start)
    LinkRates::get().learn_from(report.device, report.bytes_from, report.end - report.start);
  try {
    machine.observer->transfer(report);
  } catch (const std::bad_alloc&) {  // only the books miss something
  }
}

Status fetch_staged(const Machine& machine, PinnedPieces& pieces, const std::shared_ptr<NativeMemory>& native,
                    const Fetch& fetch, const std::string& what) {
  StagedFetch staged(*machine.devices[fetch.device], pieces, native, fetch);
  if (Status status = staged.run(); !status) return status;
  // Until the first piece came, the device may have been at work that was there before.
  const std::uint64_t bytes = fetch.ranges.bytes();
  account(machine, TransferReport{fetch.device, 0, bytes, staged.first_came(), now_ns(), what});
  return {};
}

}  // namespace

Status fetch(Machine& machine, const std::vector<Fetch>& fetches, const std::string& what) {
  std::vector<TransferReport> reports(fetches.size());
  std::vector<std::pair<const Fetch*, std::shared_ptr<NativeMemory>>> large;
  BatchGroup group;
  Status status;
  for (std::size_t i = 0; i < fetches.size() && status; ++i) {
    const Fetch& one = fetches[i];
    auto native = one.root->native(one.device);
    if (!native) {
      status = native.error();
      break;
    }
    if (!one.root->is_image() && StagedFetch::worth(one.ranges) &&
        machine.devices[one.device]->pinned_pieces() != nullptr) {
      large.emplace_back(&one, std::move(*native));
      continue;
    }
    Batch batch;
    append_reads(*one.root, *native, one.host, one.ranges, batch.ops);
    batch.want_times = machine.observer->wants_times();
    reports[i] = {one.device, 0, one.ranges.bytes(), 0, 0, what};
    group.submit(*machine.devices[one.device], std::move(batch), [&report = reports[i]](const BatchResult& result) {
      if (result.times.empty()) return;
      report.start = result.times.front().start;
      report.end = result.times.back().end;
    });
  }
  for (const auto& [one, native] : large)
    if (status) status = fetch_staged(machine, *machine.devices[one->device]->pinned_pieces(), native, *one, what);
  // Whatever was submitted must have ended before the memory that it writes may go.
  if (const Status ended = group.wait(); status && !ended) status = ended;
  if (!status) return status;
  for (const TransferReport& report : reports)
    if (report.bytes_from != 0) account(machine, report);
  return {};
}

}  // namespace skmd::icd
