// SPDX-License-Identifier: Apache-2.0
// Events that this thread has to look at again: one flat list instead of recursion through complete() and start().
#pragma once

#include "intercept/object/event.h"

namespace skmd::icd {

/// The outermost drain of a thread works its list off when it goes out of scope; inner ones add to the outermost.
class EventDrain {
 public:
  EventDrain();
  ~EventDrain();
  EventDrain(const EventDrain&) = delete;
  EventDrain& operator=(const EventDrain&) = delete;

  [[nodiscard]] bool outermost() const { return outer_ == nullptr; }
  void add(const Ref<Event>& event) noexcept;
  /// Adds to the drain that this thread is in; false if there is none.
  static bool defer(const Ref<Event>& event) noexcept;

 private:
  void append(const Ref<Event>& event) noexcept;
  EventDrain* outer_;
  Ref<Event> first_;  // linked through the events: completing one must not need memory
  Event* last_ = nullptr;
};

}  // namespace skmd::icd
