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
#include "intercept/backend/rectangles.h"
#include "intercept/object/event.h"
#include "intercept/object/link_rates.h"
#include "intercept/object/mover.h"

namespace skmd::icd {

namespace {

/// Pieces much smaller than they could be cost more than a vendor's own copy: each is a command.
constexpr std::uint64_t kWorthACommand = std::uint64_t{64} << 10;

/// What to ask for one by one; nothing if that does not pay.
std::vector<domain::RowRun> staged_pieces(const Fetch& fetch) {
  std::vector<domain::RowRun> pieces;
  const std::uint64_t bytes = fetch.ranges.bytes();
  if (fetch.root->is_image() || bytes < kStagedLeast || bytes < kStagedWidth * fetch.ranges.ranges().size())
    return pieces;
  for (const domain::RowRun& rows : domain::row_runs(fetch.ranges)) {
    const auto some = as_pieces(rows, fetch.root->bytes(), kPinnedPiece);
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
    domain::RowRun rows;
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
    first_came_.compare_exchange_strong(none, now_ns());
    const domain::RowRun& rows = asked.rows;
    if (asked.status != CL_SUCCESS) fail(asked);
    for (std::uint64_t row = 0; row < rows.rows && asked.status == CL_SUCCESS; ++row)
      std::memcpy(host_ + rows.begin + row * rows.stride, asked.piece + row * rows.width, rows.width);
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
  std::vector<domain::RowRun> pieces_;
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

/// A fetch that is worth it.
struct Large {
  const Fetch* fetch;
  PinnedPieces* pinned;
  std::shared_ptr<NativeMemory> native;
  std::vector<domain::RowRun> pieces;
};

Status fetch_staged(const Machine& machine, Large large, const std::string& what) {
  const Fetch& fetch = *large.fetch;
  StagedFetch staged(*machine.devices[fetch.device], *large.pinned, std::move(large.native), fetch.host,
                     std::move(large.pieces));
  if (Status status = staged.run(); !status) return status;
  // Until the first piece came, the device may have been at work that was there before.
  account(machine, TransferReport{fetch.device, 0, fetch.ranges.bytes(), staged.first_came(), now_ns(), what});
  return {};
}

}  // namespace

Status fetch(Machine& machine, const std::vector<Fetch>& fetches, const std::string& what) {
  std::vector<TransferReport> reports(fetches.size());
  std::vector<Large> large;
  BatchGroup group;
  Status status;
  for (std::size_t i = 0; i < fetches.size() && status; ++i) {
    const Fetch& one = fetches[i];
    auto native = one.root->native(one.device);
    if (!native) {
      status = native.error();
      break;
    }
    auto pieces = staged_pieces(one);
    // Making the memory takes milliseconds: only for those who use it.
    PinnedPieces* const pinned = pieces.empty() ? nullptr : machine.devices[one.device]->pinned_pieces();
    if (pinned != nullptr) {
      large.push_back({&one, pinned, std::move(*native), std::move(pieces)});
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
  for (Large& one : large)
    if (status) status = fetch_staged(machine, std::move(one), what);
  // Whatever was submitted must have ended before the memory that it writes may go.
  if (const Status ended = group.wait(); status && !ended) status = ended;
  if (!status) return status;
  for (const TransferReport& report : reports)
    if (report.bytes_from != 0) account(machine, report);
  return {};
}

}  // namespace skmd::icd
