// SPDX-License-Identifier: Apache-2.0
// When a launch of the CPU driver is to end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "cpu-driver/runtime/yield.h"
#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// What a launch was told of when to end (RunOp).
class LaunchYield final : public cpu::Yield {
 public:
  /// `begin`: of the batch, on the host's clock.
  LaunchYield(const RunOp& op, std::uint64_t begin, const std::function<bool()>& others_wait)
      : stop_(op.stop.get()),
        others_wait_(others_wait),
        quantum_end_(op.quantum_ns == 0 ? UINT64_MAX : begin + op.quantum_ns),
        began_(stop_ != nullptr ? stop_->began() : 0) {}
  [[nodiscard]] bool due() const noexcept override {
    if (stop_ != nullptr && stop_->requested()) return true;
    return quantum_end_ != UINT64_MAX && others_wait_() && host_now() >= quantum_end_;
  }
  [[nodiscard]] std::uint64_t due_in() const noexcept override {
    std::uint64_t when = stop_ != nullptr ? stop_->since() : UINT64_MAX;
    if (quantum_end_ != UINT64_MAX && others_wait_()) when = std::min(when, quantum_end_);
    const std::uint64_t now = when == UINT64_MAX ? 0 : host_now();
    return when > now ? when - now : 0;
  }
  void ran(std::uint64_t groups) const noexcept override {
    if (stop_ != nullptr) stop_->ran(groups, groups, host_now() - began_);
  }

 private:
  StopToken* const stop_;
  const std::function<bool()>& others_wait_;
  const std::uint64_t quantum_end_;  // on the host's clock, as is the next
  const std::uint64_t began_;        // when the slice's first launch did
};

}  // namespace skmd::icd
