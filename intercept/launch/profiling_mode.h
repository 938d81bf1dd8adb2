// SPDX-License-Identifier: Apache-2.0
// Profiling mode (skmd-profile run): each new launch is also run on every device, in spans of several lengths, on
// copies of what it touches. The application's own launch follows: it is delayed by that, and not affected otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/base/mutex.h"
#include "partitioner/model/profile_spans.h"
#include "profiler/run_report/run_counters.h"

namespace skmd::icd {

class ProfilingSpans;

struct MeasuredSlice;

struct ProfilingSettings {
  domain::SpanPlan spans;
  std::uint32_t repeat = 0;  // times that each span is run, of which the median is kept; 0: by its length
  bool warm = false;         // caches are not emptied before each span
};

/// Thread-safe; launches are profiled one at a time.
class ProfilingMode {
 public:
  /// `counters` may be null.
  ProfilingMode(const ProfilingSettings& settings, std::unique_ptr<profiler::RunCounters> counters)
      : settings_(settings), counters_(std::move(counters)) {}

  /// To be asked once for each launch, which it counts: whether profile() is to be called before the launch runs. Of a
  /// kernel's launches those are new that differ in NDRange, scalar arguments or sizes of buffers, up to a limit.
  bool wants(const Launch& launch);
  /// Precondition: the launch's ranges are locked and nothing of it has started. Failures are counted, not returned.
  /// Blocks for as long as the spans take.
  void profile(Machine& machine, const Launch& launch, const LaunchView& view);

 private:
  struct OnDevice;
  /// Why a launch is not profiled at all; "": it is.
  static std::string_view refusal(const Launch& launch);
  Status profile_on_all(Machine& machine, const Launch& launch, const LaunchView& view, std::size_t kernel);
  Status time_first(Machine& machine, const Launch& launch, OnDevice& one, std::size_t kernel);
  /// To the counters. Precondition: there are some, and the longest span of each device was timed.
  void tell_plan(const std::vector<OnDevice>& all, std::uint64_t groups, std::size_t kernel);
  /// Of all runs of a span, once the longest one was timed.
  double planned_seconds(const OnDevice& one, const domain::GroupSpan& span) const;
  Status time_rest(Machine& machine, const Launch& launch, OnDevice& one, std::size_t kernel);
  void keep(Machine& machine, const Launch& launch, std::uint32_t device, std::size_t kernel,
            const domain::GroupSpan& span, const MeasuredSlice& measured);
  Status time_span(Machine& machine, const Launch& launch, OnDevice& one, std::size_t kernel,
                   const domain::GroupSpan& span);
  std::size_t number_of(const Launch& launch);
  void leave_out(std::size_t kernel, std::string_view reason);

  const ProfilingSettings settings_;
  const std::unique_ptr<profiler::RunCounters> counters_;
  Mutex seen_mutex_{LockRank::profiling_seen};
  std::map<std::uint64_t, std::set<std::string>> seen_ SKMD_GUARDED_BY(seen_mutex_);  // per kernel: its launches
  Mutex mutex_{LockRank::profiling};  // held by profile(), and so for what follows
  std::uint64_t settled_ = 0;         // bit d: device d has run spans for a while
};

}  // namespace skmd::icd
