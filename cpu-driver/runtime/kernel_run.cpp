// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/kernel_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "cpu-driver/runtime/default_floats.h"
#include "cpu-driver/runtime/runtime_constants.h"
#include "cpu-driver/runtime/scratch.h"

namespace skmd::cpu {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double, std::nano>(Clock::now() - begin).count(); }

/// Pieces are multiples of so many groups, where those run side by side.
std::uint64_t unit_of(const SpanFrame& frame) { return std::max<std::uint64_t>(1, frame.lane_groups); }

std::uint64_t up(std::uint64_t count, std::uint64_t unit) { return (count + unit - 1) / unit * unit; }

/// Groups that are still to run, for many threads to take from.
class Rest {
 public:
  Rest(std::uint64_t first, std::uint64_t last, const SpanFrame& frame, unsigned threads, double group_ns,
       const RunExtras& extras)
      : next_(first),
        first_(first),
        last_(last),
        parts_(threads * tuning::kPiecesPerTaking),
        unit_(unit_of(frame)),
        yield_(extras.yield) {
    if (extras.single_groups) return;
    least_ = pieces_of(tuning::kLeastPiece, group_ns);
    most_ = std::max(least_, pieces_of(tuning::kMaxPiece, group_ns));
  }

  bool take(std::uint64_t& begin, std::uint64_t& end) {
    begin = next_.load(std::memory_order_relaxed);
    if (begin > first_ && yield_ != nullptr && yield_->due()) {  // one piece runs in any case
      leave_the_rest();
      return false;
    }
    do {
      if (begin >= last_) return false;
      const std::uint64_t rest = last_ - begin;
      end = begin + std::min(rest, up(std::clamp(rest / parts_, least_, most_), unit_));
    } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return true;
  }
  /// The first group that no thread has taken, when none takes any more.
  [[nodiscard]] std::uint64_t taken() const { return left_from_.load(std::memory_order_relaxed); }

 private:
  void leave_the_rest() {
    const std::uint64_t from = next_.exchange(last_, std::memory_order_relaxed);
    if (from < last_) left_from_.store(from, std::memory_order_relaxed);
  }
  static std::uint64_t pieces_of(double time, double group_ns) {
    return static_cast<std::uint64_t>(std::clamp(time / std::max(group_ns, 0.1), 1.0, 1e12));
  }

  std::atomic<std::uint64_t> next_;
  const std::uint64_t first_, last_, parts_, unit_;
  const Yield* const yield_;
  std::atomic<std::uint64_t> left_from_{last_};
  std::uint64_t least_ = 1, most_ = 1;
};

void run_piece(KernelFunction run, const SpanFrame& frame, std::uint64_t first, std::uint64_t last, std::byte* scratch,
               Printer* printer) {
  std::optional<Printer::Piece> piece;
  if (printer != nullptr) piece.emplace(*printer, first);
  run(&frame, first, last, scratch);
}

/// Begins alone, in pieces that double, until it has taken too long, all is done or it has to yield. Returns the first
/// group that has not run; `spent` is the time of those that have.
std::uint64_t run_alone(KernelFunction run, const SpanFrame& frame, std::byte* scratch, std::uint64_t first,
                        std::uint64_t last, double expected_ns, double& spent, const RunExtras& extras) {
  const Clock::time_point begin = Clock::now();
  const std::uint64_t growth = extras.single_groups ? 1 : 2;
  std::uint64_t piece = 1;
  if (expected_ns > 0 && !extras.single_groups)
    piece = static_cast<std::uint64_t>(std::clamp(tuning::kAlone / 4 / expected_ns, 1.0, 1e9));
  for (spent = 0; first < last && spent < tuning::kAlone; piece *= growth) {
    const std::uint64_t end = first + std::min(up(piece, unit_of(frame)), last - first);
    run_piece(run, frame, first, end, scratch, extras.printer);
    if (extras.yield != nullptr) extras.yield->ran(end - first);
    first = end;
    spent = since(begin);
    if (extras.yield != nullptr && extras.yield->due()) break;
  }
  return first;
}

/// How late the threads of a launch begin.
class Starts {
 public:
  void began(double after) {
    late_.fetch_add(static_cast<std::uint64_t>(after), std::memory_order_relaxed);
    workers_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Nanoseconds; those of `wanted` threads that came when nothing was left were late by all of `wall`.
  [[nodiscard]] std::uint64_t average(std::uint64_t wanted, double wall) const {
    const std::uint64_t workers = workers_.load(std::memory_order_relaxed);
    const std::uint64_t missing = wanted > workers ? wanted - workers : 0;
    const double late =
        static_cast<double>(late_.load(std::memory_order_relaxed)) + static_cast<double>(missing) * wall;
    return static_cast<std::uint64_t>(late / static_cast<double>(std::max<std::uint64_t>(1, workers + missing)));
  }

 private:
  std::atomic<std::uint64_t> late_{0}, workers_{0};
};

}  // namespace

domain::Result<Ran> run_kernel(Pool& pool, KernelFunction run, const SpanFrame& frame, std::uint64_t scratch_bytes,
                               std::uint64_t first, std::uint64_t last, ItemCost& cost, const RunExtras& extras) {
  if (first >= last) return Ran{last};
  std::byte* const scratch = scratch_of_this_thread(scratch_bytes);
  if (scratch == nullptr)
    return domain::Error{0, "there is no memory for a group's " + std::to_string(scratch_bytes) + " bytes"};
  const DefaultFloats floats;
  const auto items = static_cast<double>(frame.local_size[0] * frame.local_size[1] * frame.local_size[2]);
  double group_ns = cost.nanoseconds() * items;
  double spent = 0;
  std::uint64_t alone = 0;
  if (pool.threads() == 1 || group_ns * static_cast<double>(last - first) < 2 * tuning::kAlone) {
    alone = run_alone(run, frame, scratch, first, last, group_ns, spent, extras) - first;
    group_ns = std::max(spent / static_cast<double>(alone), 0.1);
    cost.learn(static_cast<float>(group_ns / items));
  }
  const bool yields = alone != 0 && extras.yield != nullptr && extras.yield->due();
  if (first + alone == last || yields) return leave_scratch(), Ran{first + alone};

  Rest rest(first + alone, last, frame, pool.threads(), group_ns, extras);
  Starts starts;
  const Clock::time_point called = Clock::now();
  const auto work = [&](std::size_t) {
    // A thread without memory leaves its part to the others; the caller has some.
    std::byte* const own = scratch_of_this_thread(scratch_bytes);
    if (own == nullptr) return;
    const DefaultFloats own_floats;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t groups = 0;
    const Clock::time_point start = Clock::now();
    while (rest.take(begin, end)) {
      run_piece(run, frame, begin, end, own, extras.printer);
      Pool::keep_apart();
      groups += end - begin;
      if (extras.yield != nullptr) extras.yield->ran(end - begin);
    }
    if (groups == 0) return;
    cost.learn(static_cast<float>(since(start) / static_cast<double>(groups) / items));
    starts.began(std::chrono::duration<double, std::nano>(start - called).count());
  };
  pool.run(pool.threads(), [&](std::size_t i) {
    work(i);
    leave_scratch();
  });
  work(0);  // nothing is left but where others, without memory, took all turns
  const std::uint64_t pieces = (last - first - alone + unit_of(frame) - 1) / unit_of(frame);
  const std::uint64_t waited = starts.average(std::min<std::uint64_t>(pool.threads(), pieces), since(called));
  leave_scratch();
  return Ran{rest.taken(), waited};
}

}  // namespace skmd::cpu
