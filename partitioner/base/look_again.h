// SPDX-License-Identifier: Apache-2.0
// Waiting, on a thread of its own, for what other threads change without a lock and without knowing who looks.
#pragma once

#include <cstdint>

namespace skmd {

/// Tells all Lookers of the process that what they look at may have changed. A load where there are none, else a system
/// call. Blocks on nothing, and locks nothing: it may be called with any lock held, and in the child of a fork.
void look_again() noexcept;

/// A thread that looks repeatedly. To be used by one thread.
class Looker {
 public:
  Looker() noexcept;
  ~Looker();
  Looker(const Looker&) = delete;
  Looker& operator=(const Looker&) = delete;

  /// To be called before a look; argument of the wait() behind it.
  [[nodiscard]] std::uint32_t before() const noexcept;
  /// Blocks until look_again() was called since before() returned `seen`, or for `nanoseconds`; sometimes shorter. A
  /// call that came while this object was made may be missed.
  void wait(std::uint32_t seen, std::uint64_t nanoseconds) const noexcept;
};

}  // namespace skmd
