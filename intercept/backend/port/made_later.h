// SPDX-License-Identifier: Apache-2.0
// A second form of a program, made when it is first asked for.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "partitioner/base/lock_order.h"

namespace skmd::icd {

/// Holds a T that takes as long to make as a compiler runs. It is made once. Thread-safe.
template <class T>
class MadeLater {
 public:
  /// Null if it cannot be made.
  using Make = std::function<std::unique_ptr<T>()>;
  /// Runs work on another thread; throws if there is none.
  using Later = std::function<void(std::function<void()>)>;
  MadeLater(Make make, Later later) : make_(std::move(make)), later_(std::move(later)) {}

  /// Null if it could not be made or, without `wait`, if it is not there yet: then the first call has it made on
  /// another thread. `self` owns this.
  static const T* find(const std::shared_ptr<MadeLater>& self, bool wait) {
    if (wait) {
      self->make();
    } else if (!self->claimed_.exchange(true)) {
      try {
        self->later_([self] { self->make(); });
      } catch (const std::exception&) {  // no thread, or no memory for it: a later call tries again
        self->claimed_.store(false);
      }
    }
    return self->ready();
  }
  /// The same, and nothing is made.
  [[nodiscard]] const T* ready() const { return made_.load(std::memory_order_acquire); }

 private:
  void make() {
    once_.call([this] {
      try {
        owned_ = make_();
      } catch (const std::bad_alloc&) {  // as if it could not be made
      }
      made_.store(owned_.get(), std::memory_order_release);
    });
  }

  const Make make_;
  const Later later_;
  std::atomic<bool> claimed_{false};
  OnceFlag once_{LockRank::made_later};
  std::unique_ptr<T> owned_;
  std::atomic<const T*> made_{nullptr};
};

}  // namespace skmd::icd
