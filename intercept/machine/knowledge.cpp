// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/knowledge.h"

#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "intercept/backend/port/threads.h"
#include "intercept/backend/vendor/vendor_visit.h"
#include "intercept/machine/machine_constants.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using Clock = std::chrono::steady_clock;
using Haste = domain::ProfileStore::Haste;

}  // namespace

struct Knowledge::Threads {
  Threads(domain::ProfileStore& of, domain::KnownTimes& to, Told tell, Delays times, std::function<void()> before)
      : store(of), model(to), told(std::move(tell)), delays(times), first(std::move(before)) {}

  struct RoundsOn {
    std::uint32_t device = 0;
    domain::DeviceKey key;
    std::vector<domain::StoredSample> samples;
  };
  struct Kernel {
    std::vector<Place> places;
    bool pending = true;
    bool waited = false;
    std::uint64_t loaded = 0;  // samples in the model
    std::vector<RoundsOn> rounds = {};
  };

  domain::ProfileStore& store;
  domain::KnownTimes& model;
  const Told told;
  const Delays delays;
  const std::function<void()> first;
  const std::uint32_t generation = fork_generation();
  Mutex mutex{LockRank::knowledge};
  Condition changed;
  std::unordered_map<std::uint64_t, Kernel> kernels SKMD_GUARDED_BY(mutex);
  std::deque<std::uint64_t> queue SKMD_GUARDED_BY(mutex);
  std::size_t running SKMD_GUARDED_BY(mutex) = 0;  // threads
  bool reading SKMD_GUARDED_BY(mutex) = false;
  bool tending SKMD_GUARDED_BY(mutex) = false;
  bool stopping SKMD_GUARDED_BY(mutex) = false;
  std::uint32_t vain_waits SKMD_GUARDED_BY(mutex) = 0;
  std::uint64_t loaded SKMD_GUARDED_BY(mutex) = 0;  // samples
  std::string problem SKMD_GUARDED_BY(mutex);

  [[nodiscard]] bool give_up() const SKMD_REQUIRES(mutex) { return stopping || exit_has_begun(); }
  /// The system's clock: older thread sanitizers do not know how to wait by the other.
  template <class Ready>
  void wait(UniqueLock& lock, Clock::duration time, Ready ready) SKMD_REQUIRES(mutex) {
    changed.wait_until(lock, std::chrono::system_clock::now() + time, ready);
  }
  void start(bool& flag, void (Threads::*body)()) SKMD_REQUIRES(mutex);
  void read();
  void tend();
  void read_kernel(std::uint64_t kernel, const std::vector<Place>& places);
  void read_rounds(std::uint64_t kernel, const std::vector<Place>& places);
  bool tend_store();
  /// `samples` of `kernel` are in the model, in place of those that were read before. 0: of none.
  void tell(std::uint64_t samples, const std::string& what, std::uint64_t kernel = 0);
  void end_thread(UniqueLock& lock, bool& flag) SKMD_REQUIRES(mutex);
};

/// With the mutex held.
void Knowledge::Threads::start(bool& flag, void (Threads::*body)()) {
  if (flag) return;
  flag = true;
  ++running;
  try {
    quiet_thread([this, body] { (this->*body)(); }).detach();
  } catch (const std::exception&) {
    flag = false;  // the next kernel tries again
    --running;
  }
}

void Knowledge::Threads::end_thread(UniqueLock& lock, bool& flag) {
  flag = false;
  --running;
  changed.notify_all();
  lock.unlock();
}

void Knowledge::Threads::read_kernel(std::uint64_t kernel, const std::vector<Place>& places) {
  std::uint64_t read = 0;
  std::string what;
  // Devices of one make share their samples.
  std::map<std::tuple<domain::KernelKey, domain::DeviceKey, bool>, std::optional<domain::StoredModel>> fitted;
  for (std::uint32_t device = 0; device < places.size(); ++device) {
    if (!places[device]) continue;
    const domain::KernelKey& of = places[device]->kernel;
    const domain::DeviceKey& on = places[device]->device;
    const bool decides = places[device]->decides;
    const auto [place, is_new] = fitted.try_emplace({of, on, decides});
    if (is_new) {
      const auto samples = store.samples(of, on);
      if (!samples) what = samples.error().reason;
      if (samples && !samples->empty()) place->second = fit_stored(*samples, on, store.bounds(on));
      if (place->second) place->second->decides = decides;
      if (place->second && decides) read += place->second->samples;
    }
    if (place->second) model.store(kernel, device, *place->second);
  }
  tell(read, what, kernel);
}

void Knowledge::Threads::read_rounds(std::uint64_t kernel, const std::vector<Place>& places) {
  std::vector<RoundsOn> all;
  for (std::uint32_t device = 0; device < places.size(); ++device) {
    if (!places[device]) continue;
    const domain::DeviceKey& key = places[device]->device;
    if (std::any_of(all.begin(), all.end(), [&](const RoundsOn& other) { return other.key == key; })) continue;
    auto samples = store.rounds(places[device]->kernel, key);
    if (!samples) continue;
    std::erase_if(*samples, [&](const domain::StoredSample& one) {
      return one.origin != domain::SampleOrigin::here || one.sample.device != key;
    });
    if (!samples->empty()) all.push_back({device, key, std::move(*samples)});
  }
  const MutexGuard lock(mutex);
  kernels[kernel].rounds = std::move(all);
}

void Knowledge::Threads::tell(std::uint64_t samples, const std::string& what, std::uint64_t kernel) {
  std::uint64_t all = 0;
  {
    const MutexGuard lock(mutex);
    const auto known = kernels.find(kernel);
    const std::uint64_t before = known == kernels.end() ? 0 : known->second.loaded;
    if (!what.empty()) samples = std::max(samples, before);  // what could not be read again is still in the model
    if (known != kernels.end()) known->second.loaded = samples;
    if (samples == before && (what.empty() || what == problem)) return;
    loaded = loaded - before + samples;
    if (!what.empty()) problem = what;
    all = loaded;
  }
  told(all, what);
}

bool Knowledge::Threads::tend_store() {
  const auto done = store.tend();
  tell(0, done ? done->notice : done.error().reason);
  return done && done->more;
}

void Knowledge::Threads::read() {
  MutexLock lock(mutex);
  while (!give_up()) {
    if (queue.empty()) {
      wait(lock, kReaderIdle, [&]() SKMD_REQUIRES(mutex) { return !queue.empty() || stopping; });
      if (queue.empty()) break;
      continue;
    }
    const std::uint64_t kernel = queue.front();
    queue.pop_front();
    const std::vector<Place> places = kernels[kernel].places;
    lock.unlock();
    try {
      read_kernel(kernel, places);
      read_rounds(kernel, places);
    } catch (const std::bad_alloc&) {  // it stays unknown
    }
    lock.lock();
    kernels[kernel].pending = false;
    changed.notify_all();
  }
  lock.unlock();
  store.rest();
  lock.lock();
  end_thread(lock, reading);
}

void Knowledge::Threads::tend() {
  if (first) first();
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(this_thread_id()), kTendingNice);
  bool more = false;
  try {
    const Haste haste = store.haste();
    bool ends = false;
    {
      MutexLock lock(mutex);
      if (haste != Haste::most)
        wait(lock, haste == Haste::some ? delays.before_soon : delays.before_tending,
             [&]() SKMD_REQUIRES(mutex) { return stopping; });
      ends = give_up();
    }
    if (!ends) more = tend_store();
  } catch (const std::bad_alloc&) {  // another process will do it
  }
  MutexLock lock(mutex);
  if (more) {
    for (const auto& [kernel, unused] : kernels) queue.push_back(kernel);
    start(reading, &Threads::read);
    changed.notify_all();
  }
  bool once = false;  // `tending` stays: a process tends once
  end_thread(lock, once);
}

Knowledge::Knowledge(domain::ProfileStore& store, domain::KnownTimes& model, Told told, Delays delays,
                     std::function<void()> first)
    : store_(store), model_(model), told_(std::move(told)), delays_(delays), first_(std::move(first)) {
  fork_generation();  // forks are counted from here on
}

Knowledge::Threads* Knowledge::threads(bool make) {
  Threads* current = threads_.load(std::memory_order_acquire);
  if (current != nullptr) return current->generation == fork_generation() ? current : nullptr;
  if (!make) return nullptr;
  auto made = std::make_unique<Threads>(store_, model_, told_, delays_, first_);
  if (threads_.compare_exchange_strong(current, made.get(), std::memory_order_acq_rel)) return made.release();
  return current;
}

void Knowledge::expect(std::uint64_t kernel, std::vector<Place> places) {
  Threads* const threads = this->threads(true);
  if (threads == nullptr) return;
  const MutexGuard lock(threads->mutex);
  threads->start(threads->tending, &Threads::tend);
  if (places.empty() || threads->kernels.size() >= kMaxExpectedKernels) return;
  if (!threads->kernels.try_emplace(kernel, Threads::Kernel{std::move(places)}).second) return;
  threads->queue.push_back(kernel);
  threads->start(threads->reading, &Threads::read);
  threads->changed.notify_all();
}

void Knowledge::wait_for(std::uint64_t kernel) {
  Threads* const threads = this->threads(false);
  if (threads == nullptr) return;
  MutexLock lock(threads->mutex);
  const auto found = threads->kernels.find(kernel);
  if (found == threads->kernels.end() || !found->second.pending || found->second.waited) return;
  Threads::Kernel& state = found->second;  // stays where it is
  state.waited = true;
  if (threads->vain_waits >= kMaxVainWaits) return;
  // Read before kernels that have not been launched yet.
  auto& queue = threads->queue;
  if (const auto place = std::find(queue.begin(), queue.end(), kernel); place != queue.end()) {
    queue.erase(place);
    queue.push_front(kernel);
  }
  threads->wait(lock, delays_.for_first_launch, [&] { return !state.pending; });
  if (state.pending) ++threads->vain_waits;
}

std::optional<std::vector<domain::RoundTimes::Former>> Knowledge::rounds_of(std::uint64_t kernel,
                                                                            const domain::NdRange& range) const {
  std::vector<domain::RoundTimes::Former> found;
  Threads* const threads = threads_.load(std::memory_order_acquire);
  if (threads == nullptr || threads->generation != fork_generation()) return found;
  const MutexGuard lock(threads->mutex);
  const auto known = threads->kernels.find(kernel);
  if (known == threads->kernels.end()) return found;
  if (known->second.pending) return std::nullopt;
  for (const auto& [device, key, samples] : known->second.rounds)
    if (const auto rounds = domain::former_rounds(samples, key, range))
      found.push_back({domain::RoundTimes::Devices{1} << device, *rounds});
  return found;
}

Knowledge::~Knowledge() {
  Threads* const threads = threads_.load(std::memory_order_acquire);
  if (threads == nullptr || threads->generation != fork_generation()) return;
  {
    MutexLock lock(threads->mutex);
    threads->stopping = true;
    threads->changed.notify_all();
    threads->changed.wait(lock, [&]() SKMD_REQUIRES(threads->mutex) { return threads->running == 0; });
  }
  delete threads;
}

}  // namespace skmd::icd
