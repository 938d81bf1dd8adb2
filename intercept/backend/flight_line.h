// SPDX-License-Identifier: Apache-2.0
// Flights in the order of their submission.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "intercept/backend/native_queue.h"

namespace skmd::icd {

/// Linked through the flights themselves: appending takes no memory, so whatever was enqueued gets its place, even from
/// inside a completion, where nothing could be waited for instead. Not thread-safe.
class FlightLine {
 public:
  FlightLine() = default;
  FlightLine(const FlightLine&) = delete;
  FlightLine& operator=(const FlightLine&) = delete;
  ~FlightLine() {
    while (!empty()) pop_front();  // one by one: a long chain that frees itself would need as much stack
  }

  [[nodiscard]] bool empty() const { return front_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::shared_ptr<Flight>& front() const { return front_; }

  void push_back(std::shared_ptr<Flight> flight) noexcept {
    Flight* const added = flight.get();
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
  /// The first flight of those behind the first `skipped` that `wanted` is true of; null if there is none.
  template <class Wanted>
  [[nodiscard]] std::shared_ptr<Flight> find(std::size_t skipped, Wanted wanted) const {
    const std::shared_ptr<Flight>* at = &front_;
    for (; *at != nullptr; at = &(*at)->next) {
      if (skipped > 0)
        --skipped;
      else if (wanted(**at))
        break;
    }
    return *at;
  }

 private:
  std::shared_ptr<Flight> front_;
  Flight* back_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace skmd::icd
