// SPDX-License-Identifier: Apache-2.0
// In-flight batches in the order of their submission.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "intercept/backend/vendor/native_queue.h"

namespace skmd::icd {

/// Intrusive list: appending allocates nothing, so that a batch that was enqueued natively can always be recorded, also
/// inside a completion, which must not wait. Not thread-safe.
class InFlightQueue {
 public:
  InFlightQueue() = default;
  InFlightQueue(const InFlightQueue&) = delete;
  InFlightQueue& operator=(const InFlightQueue&) = delete;
  ~InFlightQueue() {
    while (!empty()) pop_front();  // one by one: a long chain that frees itself would need as much stack
  }

  [[nodiscard]] bool empty() const { return front_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::shared_ptr<InFlightBatch>& front() const { return front_; }

  void push_back(std::shared_ptr<InFlightBatch> flight) noexcept {
    InFlightBatch* const added = flight.get();
    (empty() ? front_ : back_->next) = std::move(flight);
    back_ = added;
    ++size_;
  }
  void pop_front() noexcept {
    const auto popped = std::exchange(front_, nullptr);
    front_ = std::move(popped->next);
    if (empty()) back_ = nullptr;
    --size_;
  }
  /// The first batch behind the first `skipped` for which `wanted` is true; null if there is none.
  template <class Wanted>
  [[nodiscard]] std::shared_ptr<InFlightBatch> find(std::size_t skipped, Wanted wanted) const {
    const std::shared_ptr<InFlightBatch>* at = &front_;
    for (; *at != nullptr; at = &(*at)->next) {
      if (skipped > 0)
        --skipped;
      else if (wanted(**at))
        break;
    }
    return *at;
  }

 private:
  std::shared_ptr<InFlightBatch> front_;
  InFlightBatch* back_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace skmd::icd
