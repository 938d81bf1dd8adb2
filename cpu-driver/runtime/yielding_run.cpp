// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/yielding_run.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "cpu-driver/runtime/default_floats.h"
#include "cpu-driver/runtime/runtime_constants.h"
#include "cpu-driver/runtime/scratch.h"
#include "cpu-driver/runtime/threads.h"
#include "partitioner/base/look_again.h"
#include "partitioner/base/mutex.h"

namespace skmd::cpu {

namespace {

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

class Run {
 public:
  Run(const YieldingLaunch& launch, std::uint64_t first, std::uint64_t last, GroupStore& store, const Yield& yield)
      : launch_(launch), first_(first), last_(last), store_(store), yield_(yield), next_(first) {}

  [[nodiscard]] std::atomic<std::uint32_t>& word() { return word_; }

  /// On each thread.
  void work() {
    std::byte* const scratch = scratch_of_this_thread(launch_.scratch_bytes);
    if (scratch == nullptr) return;  // other threads run its part
    able_.store(true, std::memory_order_relaxed);
    const DefaultFloats floats;
    try {
      SpanFrame frame = launch_.frame;
      std::vector<SpanArgument> arguments(launch_.arguments.begin(), launch_.arguments.end());
      arguments.resize(arguments.size() + 2);
      for (std::uint64_t group = 0; take(group);) run_one(group, frame, arguments, scratch);
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
  bool take(std::uint64_t& group) {
    const bool left = word_.load(std::memory_order_relaxed) != 0 || yield_.due();
    if (left) word_.store(1, std::memory_order_relaxed);
    // One group runs in any case, to its next yield point.
    if (left && next_.load(std::memory_order_relaxed) > first_) return false;
    group = next_.fetch_add(1, std::memory_order_relaxed);
    return group < last_;
  }

  void run_one(std::uint64_t group, SpanFrame& frame, std::vector<SpanArgument>& arguments, std::byte* scratch) {
    const YieldFacts& facts = launch_.code.yields;
    const std::uint64_t items = frame.local_size[0] * frame.local_size[1] * frame.local_size[2];
    auto state = store_.take(group);
    if (!state) state = begin_group(group, facts, items);
    // From a file it may be of another size, although the code is of its kind.
    if (!state->words.empty() && state->words.size() != facts.words(items)) {
      lost_.store(true, std::memory_order_relaxed);
      return;
    }
    const bool had_ended = has_ended(*state, facts, items);
    const bool ended = had_ended || run_group(launch_.code.run, facts, frame, arguments, *state,
                                              reinterpret_cast<std::uint32_t*>(&word_), scratch, launch_.local_bytes);
    if (ended && !had_ended) yield_.ran(1);
    const MutexGuard lock(mutex_);
    if (ended) {
      ended_.push_back(group);
    } else {
      first_left_ = std::min(first_left_, group);
      store_.put(std::move(*state));
    }
  }

  const YieldingLaunch& launch_;
  const std::uint64_t first_, last_;
  GroupStore& store_;
  const Yield& yield_;
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));  // generated code reads it
  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint64_t> next_;
  std::atomic<bool> able_{false}, lost_{false};
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
