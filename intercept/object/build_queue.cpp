// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/build_queue.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "intercept/backend/port/threads.h"
#include "intercept/backend/vendor/vendor_visit.h"
#include "intercept/machine/machine_constants.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

namespace {

using namespace tuning;

using Clock = std::chrono::steady_clock;

constexpr auto kWhenHurried = Clock::time_point::max();

std::uint64_t bit_of(std::uint32_t device) { return std::uint64_t{1} << device; }

struct Item {
  const NativeBuilds* identity = nullptr;
  std::weak_ptr<NativeBuilds> builds;
  std::uint32_t device = 0;
  Clock::time_point due;
};

std::size_t all_but_one() { return std::max<std::size_t>(1, usable_processors() - 1); }

}  // namespace

struct BuildQueue::State {
  State(std::size_t limit, const std::atomic<std::uint64_t>* left_out) : most(limit), stopped(left_out) {}

  const std::uint32_t generation = fork_generation();
  const std::size_t most;
  const std::atomic<std::uint64_t>* const stopped;
  Mutex mutex{LockRank::build_queue};
  Condition changed;
  Condition thread_left;
  std::deque<Item> items SKMD_GUARDED_BY(mutex);
  std::size_t threads SKMD_GUARDED_BY(mutex) = 0;
  std::size_t idle SKMD_GUARDED_BY(mutex) = 0;
  std::uint64_t used SKMD_GUARDED_BY(mutex) = 0;  // bit d: device d's driver was used by a thread of the queue
  bool stopping SKMD_GUARDED_BY(mutex) = false;
  /// Not let go: exit() had begun, which takes their drivers down.
  std::vector<std::shared_ptr<NativeBuilds>> left SKMD_GUARDED_BY(mutex);

  /// The next one that is due. Otherwise `next` is when to look again, if anything is queued.
  std::optional<Item> take(std::optional<Clock::time_point>& next) SKMD_REQUIRES(mutex);
  [[nodiscard]] bool is_stopped(std::uint32_t device) const {
    return stopped != nullptr && (stopped->load(std::memory_order_acquire) & bit_of(device)) != 0;
  }
  void provide_thread() SKMD_REQUIRES(mutex);
  void loop();
  void wait(UniqueLock& lock, Clock::time_point until) SKMD_REQUIRES(mutex) {
    // The system's clock: older thread sanitizers do not know how to wait by the other.
    changed.wait_until(lock, std::chrono::system_clock::now() + (until - Clock::now()));
  }
};

std::optional<Item> BuildQueue::State::take(std::optional<Clock::time_point>& next) {
  next.reset();
  std::erase_if(items, [](const Item& item) { return item.builds.expired(); });
  const auto now = Clock::now();
  const auto due = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.due <= now; });
  if (due != items.end()) {
    Item item = std::move(*due);
    items.erase(due);
    return item;
  }
  for (const Item& item : items)
    if (item.due != kWhenHurried) next = next ? std::min(*next, item.due) : item.due;
  return std::nullopt;
}

/// Wakes or starts a thread for what was queued last.
void BuildQueue::State::provide_thread() {
  if (idle > 0) {
    changed.notify_one();
    return;
  }
  if (threads >= most) return;
  ++threads;
  try {
    quiet_thread([this] { loop(); }).detach();
  } catch (const std::exception&) {
    --threads;  // a launch that needs a device builds for it; the next program tries again
  }
}

void BuildQueue::State::loop() {
  build_ahead_on_this_thread();
  MutexLock lock(mutex);
  const auto give_up = [&]() SKMD_REQUIRES(mutex) { return stopping || exit_has_begun(); };
  auto rest = Clock::now() + kThreadIdle;
  while (!give_up()) {
    std::optional<Clock::time_point> next;
    auto item = take(next);
    if (!item) {
      if (!next && Clock::now() >= rest) break;
      ++idle;
      wait(lock, next.value_or(rest));
      --idle;
      continue;
    }
    if (!items.empty()) provide_thread();  // for the next one, while this thread is busy
    const std::uint64_t bit = bit_of(item->device);
    const bool first = (std::exchange(used, used | bit) & bit) == 0;
    lock.unlock();
    auto builds = item->builds.lock();
    if (builds) {
      if (first) let_visits_end_at_exit();
      if (is_stopped(item->device))
        builds->unwant(item->device);
      else
        builds->run(item->device);
      if (first) let_visits_end_at_exit();  // what its driver has registered since runs after
      const CompilerVisit leaving;
      if (leaving) builds.reset();  // perhaps the last to hold it
    }
    lock.lock();
    if (builds) left.push_back(std::move(builds));
    rest = Clock::now() + kThreadIdle;
  }
  --threads;
  thread_left.notify_all();
}

BuildQueue::BuildQueue(std::size_t most, Delays delays, std::uint64_t slow_to_start)
    : most_(most != 0 ? most : all_but_one()), delays_(delays), slow_to_start_(slow_to_start) {
  fork_generation();  // forks are counted from here on
}

BuildQueue::State& BuildQueue::state() {
  State* current = state_.load(std::memory_order_acquire);
  if (current != nullptr && current->generation == fork_generation()) return *current;
  // Threads of the parent do not exist here, and its locks may be held for ever: the inherited state is left alone.
  auto* made = new State(most_, stopped_);
  if (state_.compare_exchange_strong(current, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *current;
}

void BuildQueue::follow(const std::shared_ptr<NativeBuilds>& builds, std::chrono::milliseconds delay) {
  State& state = this->state();
  const auto due = Clock::now() + delay;
  const MutexGuard lock(state.mutex);
  bool added = false;
  for (const std::uint32_t device : builds->order()) {
    if (!builds->open(device) || device == builds->order().front() || state.is_stopped(device)) continue;
    const bool waits = delay.count() > 0 && (slow_to_start_ & ~state.used & bit_of(device)) != 0;
    state.items.push_back({builds.get(), builds, device, waits ? kWhenHurried : due});
    (void)builds->want(device);
    added = true;
  }
  if (!added) return;
  (void)builds->want(builds->order().front());
  state.provide_thread();
}

void BuildQueue::follow_on(const std::shared_ptr<NativeBuilds>& builds, const std::vector<std::uint32_t>& devices) {
  State& state = this->state();
  const auto due = Clock::now();
  const MutexGuard lock(state.mutex);
  const std::size_t before = state.items.size();
  for (const std::uint32_t device : devices)
    if (builds->open(device)) state.items.push_back({builds.get(), builds, device, due});
  if (state.items.size() != before) state.provide_thread();
}

void BuildQueue::hurry(const NativeBuilds& builds) {
  State& state = this->state();
  const MutexGuard lock(state.mutex);
  const auto theirs = [&](const Item& item) { return item.identity == &builds; };
  const auto rest = std::stable_partition(state.items.begin(), state.items.end(), theirs);
  if (rest == state.items.begin()) return;
  const auto now = Clock::now();
  std::for_each(state.items.begin(), rest, [&](Item& item) SKMD_REQUIRES(state.mutex) {
    const bool waits = (slow_to_start_ & ~state.used & bit_of(item.device)) != 0;
    item.due = waits ? std::min(item.due, now + delays_.for_slow_start) : now;
  });
  state.provide_thread();
}

BuildQueue::~BuildQueue() {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr || state->generation != fork_generation()) return;
  {
    MutexLock lock(state->mutex);
    state->stopping = true;
    state->changed.notify_all();
    state->thread_left.wait(lock, [&]() SKMD_REQUIRES(state->mutex) { return state->threads == 0; });
  }
  delete state;
}

}  // namespace skmd::icd
