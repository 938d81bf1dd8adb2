// SPDX-License-Identifier: Apache-2.0
// Whether a launch is to leave its threads to others before all of its groups have run.
#pragma once

#include <cstdint>

namespace skmd::cpu {

class Yield {
 public:
  Yield() = default;
  virtual ~Yield() = default;
  Yield(const Yield&) = delete;
  Yield& operator=(const Yield&) = delete;
  /// Asked by every thread of the launch between pieces of some microseconds to half a millisecond, or single groups
  /// where those are longer. Once one of them is told true, no thread begins a further piece. Thread-safe.
  [[nodiscard]] virtual bool due() const noexcept = 0;
  /// Nanoseconds after which due() comes true by itself, as far as is known; UINT64_MAX: not known. Other changes are
  /// told by skmd::look_again(), or are found within tuning::kYieldLookNs. Thread-safe.
  [[nodiscard]] virtual std::uint64_t due_in() const noexcept { return UINT64_MAX; }
  /// So many more of its groups have run. Thread-safe.
  virtual void ran(std::uint64_t groups) const noexcept { (void)groups; }
};

}  // namespace skmd::cpu
