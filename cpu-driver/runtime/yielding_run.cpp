// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/yielding_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "cpu-driver/runtime/default_floats.h"
#include "cpu-driver/runtime/runtime_constants.h"
#include "cpu-driver/runtime/scratch.h"
#include "cpu-driver/runtime/threads.h"
#include "partitioner/base/look_again.h"
#include "partitioner/base/mutex.h"

namespace skmd::cpu {

namespace {

using Clock = std::chrono::steady_clock;

/// Sets a word once a launch is to yield: the threads that run groups look at nothing else inside of them.
class Watch {
 public:
  Watch(const Yield& yield, std::atomic<std::uint32_t>& word)
      : yield_(yield), word_(word), thread_(quiet_thread([this] { look(); })) {}
  ~Watch() {
    over_ = true;
    look_again();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void look() {
    const Looker looker;
    for (;;) {
      const std::uint32_t seen = looker.before();
      if (over_ || word_.load(std::memory_order_relaxed) != 0) return;
      if (yield_.due())
        word_.store(1, std::memory_order_relaxed);
      else
        looker.wait(seen, std::min(yield_.due_in(), tuning::kYieldLookNs));
    }
  }

  const Yield& yield_;
  std::atomic<std::uint32_t>& word_;
  std::atomic<bool> over_{false};
  std::thread thread_;  // the last: it uses the others
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): read and written members share no cache line
class Run {
 public:
  Run(const YieldingLaunch& launch, std::uint64_t first, std::uint64_t last, GroupStore& store, const Yield& yield)
      : launch_(launch),
        first_(first),
        last_(last),
        store_(store),
        any_kept_(store.holds(first, last)),
        yield_(yield),
        next_(first) {}

  [[nodiscard]] std::atomic<std::uint32_t>& word() { return word_; }

  /// On each thread.
  void work() {
    std::byte* const scratch = scratch_of_this_thread(launch_.scratch_bytes);
    if (scratch == nullptr) return;  // other threads run its part
    able_.store(true, std::memory_order_relaxed);
    const DefaultFloats floats;
    try {
      Worker worker(launch_, scratch);
      for (std::uint64_t group = 0; take(group);) run_one(group, worker);
      tell(worker);
      const MutexGuard lock(mutex_);
      ended_.insert(ended_.end(), worker.ended.begin(), worker.ended.end());
    } catch (const std::bad_alloc&) {
      lost_.store(true, std::memory_order_relaxed);
      word_.store(1, std::memory_order_relaxed);
    }
    leave_scratch();
  }

  domain::Result<YieldingRan> result() {
    if (!able_ || lost_)
      return domain::Error{0, "there is no memory for groups that can be left, or one was left with another size"};
    const MutexGuard lock(mutex_);
    const std::uint64_t begun = std::min(next_.load(), last_);
    const std::uint64_t left = std::min(first_left_, begun);
    for (const std::uint64_t group : ended_)
      if (group > left) store_.put({group, {}, {}});
    return YieldingRan{left, begun};
  }

 private:
  /// What one thread runs groups with.
  struct Worker {
    Worker(const YieldingLaunch& launch, std::byte* memory)
        : frame(launch.frame), arguments(launch.arguments.begin(), launch.arguments.end()), scratch(memory) {
      arguments.resize(arguments.size() + 2);
    }
    SpanFrame frame;
    std::vector<SpanArgument> arguments;
    std::byte* const scratch;
    std::optional<GroupState> spare;   // of a group that has ended
    std::vector<std::uint64_t> ended;  // groups
    std::uint64_t untold = 0;          // of them, that Yield::ran() was not told of
    Clock::time_point told = Clock::now();
  };

  bool take(std::uint64_t& group) {
    const bool left = word_.load(std::memory_order_relaxed) != 0 || yield_.due();
    if (left) word_.store(1, std::memory_order_relaxed);
    // One group runs in any case, to its next yield point.
    if (left && next_.load(std::memory_order_relaxed) > first_) return false;
    group = next_.fetch_add(1, std::memory_order_relaxed);
    return group < last_;
  }

  void tell(Worker& worker) const {
    if (worker.untold != 0) yield_.ran(std::exchange(worker.untold, 0));
  }

  /// What the group goes on from, or begins with.
  std::optional<GroupState> state_of(std::uint64_t group, std::uint64_t items, Worker& worker) {
    if (any_kept_)
      if (auto kept = store_.take(group)) return kept;
    if (!worker.spare) return begin_group(group, launch_.code.yields, items);
    begin_next(*worker.spare, group);
    return std::exchange(worker.spare, std::nullopt);
  }

  void run_one(std::uint64_t group, Worker& worker) {
    const YieldFacts& facts = launch_.code.yields;
    const SpanFrame& frame = worker.frame;
    const std::uint64_t items = frame.local_size[0] * frame.local_size[1] * frame.local_size[2];
    auto state = state_of(group, items, worker);
    // From a file it may be of another size, although the code is of its kind.
    if (!state->words.empty() && state->words.size() != facts.words(items)) {
      lost_.store(true, std::memory_order_relaxed);
      return;
    }
    const bool had_ended = has_ended(*state, facts, items);
    const bool ended =
        had_ended || run_group(launch_.code.run, facts, worker.frame, worker.arguments, *state,
                               reinterpret_cast<std::uint32_t*>(&word_), worker.scratch, launch_.local_bytes);
    if (!ended) {
      const MutexGuard lock(mutex_);
      first_left_ = std::min(first_left_, group);
      return store_.put(std::move(*state));
    }
    worker.ended.push_back(group);
    if (had_ended) return;
    worker.spare = std::move(state);
    ++worker.untold;
    if (const Clock::time_point now = Clock::now(); now - worker.told >= tuning::kTell) {
      worker.told = now;
      tell(worker);
    }
  }

  const YieldingLaunch& launch_;
  const std::uint64_t first_, last_;
  GroupStore& store_;
  const bool any_kept_;  // of these groups, in store_, before the run
  const Yield& yield_;
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));  // generated code reads it
  std::atomic<std::uint32_t> word_{0};
  std::atomic<bool> able_{false}, lost_{false};
  // Written for each group, unlike the members before it, which are read for each: not on their cache line.
  alignas(tuning::kCacheLine) std::atomic<std::uint64_t> next_;
  Mutex mutex_{LockRank::yielding_run};
  std::uint64_t first_left_ SKMD_GUARDED_BY(mutex_) = UINT64_MAX;
  std::vector<std::uint64_t> ended_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace

domain::Result<YieldingRan> run_yielding(Pool& pool, const YieldingLaunch& launch, std::uint64_t first,
                                         std::uint64_t last, GroupStore& store, const Yield& yield) {
  if (first >= last) return YieldingRan{last, last};
  Run run(launch, first, last, store, yield);
  {
    const Watch watch(yield, run.word());
    // A group runs on one thread: no more are woken than there are groups.
    pool.run(std::min<std::uint64_t>(pool.threads(), last - first), [&](std::size_t) { run.work(); });
    if (run.word().load(std::memory_order_relaxed) == 0) run.work();  // where others, without memory, took all turns
  }
  return run.result();
}

}  // namespace skmd::cpu
