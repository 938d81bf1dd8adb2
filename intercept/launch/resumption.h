// SPDX-License-Identifier: Apache-2.0
// Launches of which slices were stopped: the groups that did not run go on, on the same device or on others.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "intercept/launch/conductor.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/preemption.h"
#include "intercept/launch/rebalancing.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

/// The rest runs as if it had been launched last, which groups of one launch permit: nothing is copied for it but what
/// its device lacks. Therefore kernels whose results could not be merged may change devices, too.
class Resumption {
 public:
  /// `running`: of the launch, where it can be controlled. `wanted`: whether other commands wait for what the launch
  /// holds, which they are to have in between; empty: the launch keeps it to its end.
  Resumption(Machine& machine, const Launch& launch, const LaunchView& view, Event& event, bool has_turn,
             RunningLaunch* running, std::function<bool()> wanted)
      : machine_(machine),
        launch_(launch),
        view_(view),
        event_(event),
        has_turn_(has_turn),
        running_(running),
        wanted_(std::move(wanted)) {}

  /// What was stopped is divided over all devices; nothing: each span goes to one of them. Before run().
  void divide_anew(std::optional<DividedAnew> before) { divided_anew_ = std::move(before); }
  /// Runs `stopped`, one span after another, each of which may be stopped again. `target`: where they are to go on.
  /// Blocks until all have run, or `running` was asked to give way or others are to have what the launch holds: then
  /// unfinished().stopped is what is left. On an error unfinished() tells the groups without results, and as stopped
  /// those spans alone of which groups have begun. `has_run`: groups ran since the launch got what it holds; otherwise
  /// some do before others get it.
  Status run(std::vector<StoppedSpan> stopped, std::optional<std::uint32_t> target, bool has_run);
  [[nodiscard]] const Unfinished& unfinished() const { return unfinished_; }
  /// Of the groups that have run.
  [[nodiscard]] const std::vector<SliceReport>& reports() const { return reports_; }
  [[nodiscard]] const PreemptReport& preempted() const { return preempted_; }
  [[nodiscard]] std::uint64_t first_uses() const { return first_uses_; }
  /// As given, or what has become of it.
  [[nodiscard]] const std::optional<DividedAnew>& divided_anew() const { return divided_anew_; }
  /// As Conductor has it.
  [[nodiscard]] const std::optional<domain::Error>& trapped() const { return trapped_; }

 private:
  /// Null: the span goes on elsewhere, or cannot be divided now. The launch is on the devices of a decision.
  std::shared_ptr<const Decision> divided(const StoppedSpan& next) const;
  /// One span, as decided; unfinished_ is what became of it. `stays`: it ends where it is.
  Status go_on(const Decision& given, const StoppedSpan& next, bool stays);
  void add(const Conductor& conductor, const Decision& decision, const StoppedSpan& before);
  /// To be called after go_on() of `next` has failed. Returns the first slice, and removes it from unfinished_.spans,
  /// if it has begun groups, and the upload of their inputs failed before the launch: saved states and buffers are
  /// unchanged. Clears unfinished_.inputs_intact if begun groups failed otherwise.
  std::optional<StoppedSpan> begun_to_try_again(const Decision& decision, const StoppedSpan& next);
  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  Event& event_;
  const bool has_turn_;
  RunningLaunch* const running_;
  const std::function<bool()> wanted_;
  Unfinished unfinished_;
  std::optional<DividedAnew> divided_anew_;
  std::vector<SliceReport> reports_;
  PreemptReport preempted_;
  std::uint64_t first_uses_ = 0;
  std::optional<domain::Error> trapped_;
};

}  // namespace skmd::icd
