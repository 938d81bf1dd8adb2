// SPDX-License-Identifier: Apache-2.0
// Times spans of one launch on one device, on copies of what the launch touches.
#pragma once

#include <span>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/private_copies.h"
#include "intercept/launch/profile_record.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

struct TimedSpan {
  MeasuredSlice measured;
  double seconds = 0.0;  // of the host: with all that comes before it
};

/// Not thread-safe; blocks. Keeps references to its arguments.
class ProfilingSpans {
 public:
  /// `sources`: host addresses of the roots' bytes 0, whose `ranges` are valid and stay as they are. `warm`: caches
  /// are left as the span before left them.
  static Result<ProfilingSpans> make(Machine& machine, const Launch& launch, const LaunchView& view,
                                     std::uint32_t device, std::span<const std::byte* const> sources,
                                     std::span<const domain::RangeSet> ranges, bool warm);

  /// Brings the copies to the device; nanoseconds of the transfer, 0 where there is none. First of all.
  Result<std::uint64_t> bring();
  /// Restores the bytes that earlier spans may have written and the launch reads, then runs the span and times it.
  /// An error if the device fails or tells no times.
  Result<TimedSpan> run(const domain::GroupSpan& span);
  /// Nanoseconds that it takes to bring back what the whole launch may write, 0 where it is in host memory anyway.
  Result<std::uint64_t> fetch();

 private:
  ProfilingSpans(Machine& machine, const Launch& launch, const LaunchView& view, std::uint32_t device, bool warm)
      : machine_(machine), launch_(launch), view_(view), device_(device), warm_(warm) {}
  [[nodiscard]] Device& device() const { return *machine_.devices[device_]; }
  /// Nanoseconds of all its ops; an error where the batch fails or the device tells no times.
  Result<std::uint64_t> timed(std::vector<Op> ops);
  Status cool(const SpanFootprint& touches);
  void choose_evictor();

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  std::uint32_t device_;
  bool warm_;
  std::vector<domain::RangeSet> ranges_;    // per root: that the launch touches
  std::vector<domain::RangeSet> restored_;  // per root: that spans may have written and the launch reads
  std::optional<PrivateCopies> copies_;
  std::shared_ptr<NativeMemory> evictor_;  // memory larger than the device's cache, filled to empty it
  std::uint64_t evictor_bytes_ = 0;
};

}  // namespace skmd::icd
