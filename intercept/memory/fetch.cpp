// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/fetch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/backend/port/rectangles.h"
#include "intercept/backend/vendor/pinned_pieces.h"
#include "intercept/backend/vendor/vendor_constants.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

namespace {

using namespace tuning;

/// What to ask for one by one, of `total` bytes that are fetched at a time; nothing if that does not pay.
std::vector<domain::RowRun> staged_pieces(const Fetch& fetch, std::uint64_t total) {
  std::vector<domain::RowRun> pieces;
  const std::uint64_t bytes = fetch.ranges.bytes();
  if (fetch.root->is_image() || total < kLeastInPieces || bytes < kPinnedPiece / 2 ||
      bytes < kStagedWidth * fetch.ranges.ranges().size())
    return pieces;
  for (const domain::RowRun& rows : domain::row_runs(fetch.ranges)) {
    const auto some = as_pieces(rows, fetch.root->bytes(), total < kFewFetched ? kPinnedPiece / 2 : kPinnedPiece);
    pieces.insert(pieces.end(), some.begin(), some.end());
    if (bytes < kWorthACommand * pieces.size()) return {};
  }
  return pieces;
}

/// One fetch by page-locked pieces: threads take turns at asking for a piece of the bytes, and copy what has come.
class StagedFetch {
 public:
  StagedFetch(Device& device, PinnedPieces& pinned, std::shared_ptr<NativeMemory> native, std::byte* host,
              std::vector<domain::RowRun> pieces)
      : device_(device), pinned_(pinned), native_(std::move(native)), host_(host), pieces_(std::move(pieces)) {}
  StagedFetch(const StagedFetch&) = delete;
  StagedFetch& operator=(const StagedFetch&) = delete;
  ~StagedFetch() { take_first(); }  // for first pieces that no thread has taken

  /// Asks for the first pieces, so that they are on their way while threads wake up.
  void begin() {
    for (; ahead_ < std::min(first_.size(), pieces_.size()); ++ahead_) {
      Asked& asked = first_[ahead_];
      asked.piece = pinned_.try_take();
      if (asked.piece == nullptr) return;
      ask(asked, pieces_[ahead_]);
    }
  }
  /// Finishes the reads of begin() that no other thread has taken. Any number of threads, each before its first work():
  /// that may wait for a piece of page-locked memory, and a thread that waits must hold none.
  void take_first() {
    for (std::size_t i = next_first_.fetch_add(1); i < ahead_; i = next_first_.fetch_add(1)) finish(first_[i]);
  }
  /// Reads the pieces that no other thread has begun. Any number of threads; all bytes have come when all have
  /// returned.
  void work() {
    Asked turns[2];
    for (std::size_t turn = 0;; turn ^= 1) {
      const std::size_t i = failed_.load(std::memory_order_relaxed) ? pieces_.size() : ahead_ + next_.fetch_add(1);
      Asked& older = turns[turn ^ 1];
      if (i >= pieces_.size()) return finish(older);
      Asked& asked = turns[turn];
      asked.piece = pinned_.try_take();
      if (asked.piece == nullptr) {
        finish(older);  // only a thread that holds no piece may wait for one
        asked.piece = pinned_.take();
      }
      ask(asked, pieces_[i]);
      finish(older);
    }
  }
  Status status() {
    const MutexGuard lock(mutex_);
    return failure_ ? Status(*failure_) : Status();
  }
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }
  /// When the last piece had come.
  [[nodiscard]] std::uint64_t last_came() const { return last_came_; }
  /// When the first piece had come; 0: none has.
  [[nodiscard]] std::uint64_t first_came() const { return first_came_; }

 private:
  /// A piece that is being read. Outlives its batch: finish() waits for that.
  struct Asked {
    domain::RowRun rows;
    std::byte* piece = nullptr;
    Ticket ticket = 0;
    cl_int status = CL_SUCCESS;
    std::string reason;
  };

  void ask(Asked& asked, const domain::RowRun& rows) {
    asked.rows = rows;
    asked.status = CL_SUCCESS;
    try {
      Batch batch;
      batch.ops.emplace_back(ReadOp{native_, asked.piece, rows, true});
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
    first_came_.compare_exchange_strong(none, host_now());
    const domain::RowRun& rows = asked.rows;
    if (asked.status != CL_SUCCESS) fail(asked);
    for (std::uint64_t row = 0; row < rows.rows && asked.status == CL_SUCCESS; ++row)
      std::memcpy(host_ + rows.begin + row * rows.stride, asked.piece + row * rows.width, rows.width);
    last_came_ = host_now();
    pinned_.give(std::exchange(asked.piece, nullptr));
  }

  void fail(Asked& asked) {
    failed_ = true;
    const MutexGuard lock(mutex_);
    if (!failure_) failure_ = domain::Error{asked.status, std::move(asked.reason)};
  }

  Device& device_;
  PinnedPieces& pinned_;
  const std::shared_ptr<NativeMemory> native_;
  std::byte* const host_;
  std::vector<domain::RowRun> pieces_;
  std::array<Asked, kAskedAhead> first_;
  std::size_t ahead_ = 0;                             // of them, asked for
  std::atomic<std::size_t> next_first_{0}, next_{0};  // the other pieces are counted behind those
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> first_came_{0}, last_came_{0};
  Mutex mutex_{LockRank::staged_fetch};
  std::optional<domain::Error> failure_ SKMD_GUARDED_BY(mutex_);
};

/// Reports a transfer to the observer, and its rate to LinkRates.
void account(const Machine& machine, const TransferReport& report) {
  if (report.end > report.start)
    LinkRates::get().learn_from(report.device, report.bytes_from, report.end - report.start);
  try {
    machine.observer->transfer(report);
  } catch (const std::bad_alloc&) {  // only the report is lost
  }
}

/// A fetch that is worth it.
struct Large {
  Large(const Fetch* wanted, Device& device, PinnedPieces& pinned, std::shared_ptr<NativeMemory> native,
        std::vector<domain::RowRun> pieces)
      : fetch(wanted), staged(device, pinned, std::move(native), wanted->host, std::move(pieces)) {}
  const Fetch* fetch;
  StagedFetch staged;
};

/// All at once: each device has a link of its own.
Status fetch_staged(const Machine& machine, std::deque<Large>& large, const std::string& what) {
  std::size_t pieces = 0;
  std::map<std::uint32_t, TransferReport> reports;
  for (const Large& one : large) {
    pieces += one.staged.pieces();
    reports[one.fetch->device] = {one.fetch->device, 0, 0, std::numeric_limits<std::uint64_t>::max(), 0, what};
  }
  for (Large& one : large) one.staged.begin();
  host_threads(
      [&](std::size_t thread) {
        for (std::size_t i = 0; i < large.size(); ++i) large[(thread + i) % large.size()].staged.take_first();
        for (std::size_t i = 0; i < large.size(); ++i) large[(thread + i) % large.size()].staged.work();
      },
      std::min(kStagingThreads * reports.size(), pieces));
  for (Large& one : large) {
    if (Status status = one.staged.status(); !status) return status;
    // Until the first piece came, the device may have been at work that was there before.
    TransferReport& report = reports[one.fetch->device];
    report.bytes_from += one.fetch->ranges.bytes();
    report.start = std::min(report.start, one.staged.first_came());
    report.end = std::max(report.end, one.staged.last_came());
  }
  for (const auto& [device, report] : reports) account(machine, report);
  return {};
}

}  // namespace

Status fetch(Machine& machine, const std::vector<Fetch>& fetches, const std::string& what) {
  std::vector<TransferReport> reports(fetches.size());
  std::deque<Large> large;
  std::uint64_t total = 0;
  for (const Fetch& one : fetches) total += one.ranges.bytes();
  BatchGroup group;
  Status status;
  for (std::size_t i = 0; i < fetches.size() && status; ++i) {
    const Fetch& one = fetches[i];
    auto native = one.root->native(one.device);
    if (!native) {
      status = native.error();
      break;
    }
    auto locked = locked_pages(machine, one.device, one.host, one.ranges);
    auto pieces = locked ? std::vector<domain::RowRun>() : staged_pieces(one, total);
    // Page-locked memory takes milliseconds to make: it is made only where it is used, and less of it for small reads.
    Device& device = *machine.devices[one.device];
    PinnedPieces* const pinned = pieces.empty()          ? nullptr
                                 : total >= kStagedLeast ? device.pinned_pieces()
                                                         : device.small_pieces();
    if (pinned != nullptr) {
      large.emplace_back(&one, device, *pinned, std::move(*native), std::move(pieces));
      continue;
    }
    Batch batch;
    append_reads(*one.root, *native, one.host, one.ranges, batch.ops, locked);
    batch.want_times = machine.observer->wants_times();
    batch.awaited = fetches.size() == 1 && !batch.want_times;  // several devices' come side by side
    reports[i] = {one.device, 0, one.ranges.bytes(), 0, 0, what};
    group.submit(*machine.devices[one.device], std::move(batch), [&report = reports[i]](const BatchResult& result) {
      if (result.times.empty()) return;
      report.start = result.times.front().start;
      report.end = result.times.back().end;
    });
  }
  if (status && !large.empty()) status = fetch_staged(machine, large, what);
  // Every submitted batch must have ended before the memory that it writes may be freed.
  if (const Status ended = group.wait(); status && !ended) status = ended;
  if (!status) return status;
  for (const TransferReport& report : reports)
    if (report.bytes_from != 0) account(machine, report);
  return {};
}

}  // namespace skmd::icd
