// SPDX-License-Identifier: Apache-2.0
// The last launches of a kernel, with what was worked out for them: applications repeat launches, and often wait for
// each before the next, when no command holds it any more.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "intercept/object/object_constants.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

struct Launch;

/// A launch holds the memory objects of its arguments, which a kernel must not do: each of them knows the list
/// (KeptLaunchesOf), and takes the launches out when the application gives it up.
class KeptLaunches {
 public:
  /// Held while anything else is called, but for forget().
  Mutex& mutex() SKMD_RETURNS_LOCK(mutex_) { return mutex_; }
  /// The newest that suits, or null.
  template <class Suits>
  [[nodiscard]] std::shared_ptr<const Launch> find(const Suits& suits) const SKMD_REQUIRES(mutex_) {
    for (std::size_t age = 0; age < tuning::kMaxKeptLaunches; ++age) {
      const auto& launch = launches_[(newest_ + tuning::kMaxKeptLaunches - age) % tuning::kMaxKeptLaunches];
      if (launch && suits(*launch)) return launch;
    }
    return nullptr;
  }
  /// Returns the launch that it replaces: destroying that may call the application, and so has to happen without the
  /// mutex.
  [[nodiscard]] std::shared_ptr<const Launch> add(std::shared_ptr<const Launch> launch) SKMD_REQUIRES(mutex_) {
    newest_ = (newest_ + 1) % tuning::kMaxKeptLaunches;
    return std::exchange(launches_[newest_], std::move(launch));
  }
  /// Gives all of them up. Thread-safe.
  void forget() {
    std::array<std::shared_ptr<const Launch>, tuning::kMaxKeptLaunches> gone;
    const MutexGuard lock(mutex_);
    gone.swap(launches_);
  }

 private:
  Mutex mutex_{LockRank::kept_launches};
  std::array<std::shared_ptr<const Launch>, tuning::kMaxKeptLaunches> launches_ SKMD_GUARDED_BY(mutex_);
  std::size_t newest_ SKMD_GUARDED_BY(mutex_) = 0;
};

/// The lists that may have launches with one memory object. Not thread-safe.
class KeptLaunchesOf {
 public:
  KeptLaunchesOf() = default;
  KeptLaunchesOf(const KeptLaunchesOf&) = delete;
  KeptLaunchesOf& operator=(const KeptLaunchesOf&) = delete;
  ~KeptLaunchesOf() {
    for (const auto& list : lists_)
      if (const auto alive = list.lock()) alive->forget();
  }
  void add(const std::shared_ptr<KeptLaunches>& list) {
    if (lists_.size() >= crowd_) {  // of kernels that are gone, perhaps
      std::erase_if(lists_, [](const auto& known) { return known.expired(); });
      crowd_ = 2 * lists_.size() + tuning::kCrowd;
    }
    lists_.insert(list);
  }

 private:
  std::set<std::weak_ptr<KeptLaunches>, std::owner_less<>> lists_;
  std::size_t crowd_ = tuning::kCrowd;
};

}  // namespace skmd::icd
