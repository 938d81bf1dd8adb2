// SPDX-License-Identifier: Apache-2.0
// The command of a launch: the fast path for launches that stay whole and have what they need, the conductor for the
// rest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/frozen_launch.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/preemption.h"
#include "intercept/machine/machine.h"
#include "intercept/machine/running_launches.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/recovery.h"
#include "intercept/object/command.h"
#include "intercept/object/launch.h"
#include "intercept/observe/observer.h"

namespace skmd::icd {

class Verification;

class LaunchCommand : public Command {
 public:
  LaunchCommand(Machine& machine, std::shared_ptr<const FrozenLaunch> launch, bool watched);
  /// Of a launch that another process began: only these groups run. Before the command is given to a queue.
  void take_up(std::vector<StoppedSpan> rest);
  ~LaunchCommand() override;

  /// Takes over launches that stay whole on one device, need nothing gathered, and whose ranges are free (or held by
  /// commands that come earlier on that device's in-order queue).
  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override;
  /// Of a launch that waits for room on a device: also DeviceMemory::turn(); and while all are suspended,
  /// DeviceMemory::gate().
  [[nodiscard]] std::vector<Claim> claims() const override;
  cl_int run(Event& event) override;

 private:
  /// The state of a whole launch that is submitted.
  struct InFlight {
    Ref<Event> event;
    std::shared_ptr<Command> self;  // until its batch has ended, and no redo is due
    RangeLock lock;
    FrozenLaunch::FixedRuns runs;  // while the device has the batch; given up before the ranges
    std::shared_ptr<const Decision> decision;
    std::size_t uploads = 0;
    std::uint64_t upload_bytes = 0;
    std::optional<MovePlan> moves;  // if there are any
    std::uint32_t failures = 0;     // Health::failures() of the device, before residency was read
    /// Per root that has any: old bytes that the launch may overwrite and that are elsewhere, too.
    std::vector<std::pair<std::size_t, std::vector<domain::ResidencyMap::Piece>>> old;
    bool first = false;
    std::uint64_t begin = 0;
    std::optional<NotPreempted> why_not;          // it does not give way to others
    std::unique_ptr<RunningLaunch> running = {};  // where launches can be controlled
    std::shared_ptr<RunningSlice> told = {};      // to `running`
  };
  /// A launch of which some groups have run, with what they told, and the others gave their ranges back.
  struct Partly;
  [[nodiscard]] bool may_start() const;
  /// Devices have joined since the launch was enqueued, and may have a part in it: it has to be frozen anew.
  [[nodiscard]] bool is_outdated() const;
  /// Puts uploads of what is missing before the launch; an error if one would have to wait for a device.
  Status add_uploads(const SliceWork& slice, InFlight& flight, std::vector<Op>& ops);
  [[nodiscard]] bool times_are_worth_it(const Event& event, const Decision& decision) const;
  Result<Batch> prepare(const Decision& decision, InFlight& flight);
  /// Room for all that `decision` uses, or as much as there may be. False: commands under way use what would have to
  /// go; run() has to be called again with the turn, which may wait for them.
  bool make_room(const Decision& decision) const;
  /// What run_decided() returns if the decision counts on a device that is stopped, or others can take part that could
  /// not when the launch was enqueued, and nothing was done.
  static constexpr cl_int kElsewhere = 2;
  /// run() of this launch, or of the one in its place, without the conversion of errors. kRunAgain as there.
  Result<cl_int> run_decided(Event& event);
  /// The rest of it. `partly_` is set if the launch gave way half way, and is to be called again.
  Status run_locked(Event& event, const std::shared_ptr<const Decision>& decision, RunningLaunch* running);
  /// Whether other commands wait for what the launch holds, as StopToken has it; empty where they are to wait to its
  /// end.
  [[nodiscard]] std::function<bool()> wanted() const;
  /// Groups that were stopped go on, or are kept in `partly_`; then the launch is settled and reported.
  Status go_on(Event& event, Partly&& partly, RunningLaunch* running, std::unique_ptr<Verification> verification);
  /// Stays as `partly_`.
  void give_way(Partly&& partly, RunningLaunch* running);
  /// Writes the file that was asked for, if one was. Throws nothing.
  void write_file(const Partly& partly, RunningLaunch& running) noexcept;
  Status settle(Event& event, Partly&& partly, RunningLaunch* running, std::unique_ptr<Verification> verification);
  /// Sets `instead_` to the launch as it is frozen now. Error: no device can take it.
  Status freeze_anew();
  /// The launch is on the decision's devices; null if it must not, and `machine_.running` is set.
  [[nodiscard]] std::unique_ptr<RunningLaunch> admit(const Decision& decision) const;
  /// The rest of start(), with the ranges taken: none if run() has to do it. Nothing was submitted when it throws.
  std::optional<Ticket> submit(Device& device, const Ref<Event>& event, const std::shared_ptr<Command>& self);
  /// The `done` of the batch that start() submitted.
  void landed(BatchResult&& result);
  /// The launch ended well, but on something that a batch before it was to bring and did not.
  [[nodiscard]] bool misled(const InFlight& flight) const;
  /// On an executor thread: what has not been done by a batch that failed or was misled, after take_back().
  void again(const BatchResult& result, LostRanges& lost_ranges);
  /// Residency as if the launch had never been submitted. `ran`: it may have written something.
  void take_back(InFlight& flight, bool ran, LostRanges& lost_ranges);
  [[nodiscard]] bool reads(const SliceWork& slice, const LostRanges& lost_ranges) const;
  cl_int ended(const Status& status, Event& event);

  Machine& machine_;
  const std::shared_ptr<const FrozenLaunch> frozen_;
  const Launch& launch_;
  const LaunchView& view_;
  const bool watched_;
  const bool profiled_;                      // its spans are timed before it runs
  std::optional<InFlight> flight_;           // set by start()
  std::shared_ptr<const Decision> decided_;  // by a start() that declined: one launch is decided once
  bool has_turn_ = false;                    // run() holds DeviceMemory::turn(): written by run() alone
  std::unique_ptr<Partly> partly_;           // likewise, as what follows
  std::unique_ptr<LaunchCommand> instead_;   // what runs in its place
};

}  // namespace skmd::icd
