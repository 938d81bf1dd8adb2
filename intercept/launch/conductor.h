// SPDX-License-Identifier: Apache-2.0
// Carries one decided launch through move -> run -> merge, on an executor thread. The ranges are locked by the caller.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/device_replay.h"
#include "intercept/launch/joining.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/preemption.h"
#include "intercept/launch/rebalancing.h"
#include "intercept/launch/replay.h"
#include "intercept/launch/slice_pieces.h"
#include "intercept/machine/machine.h"
#include "intercept/machine/running_launches.h"
#include "intercept/memory/mover.h"
#include "intercept/object/event.h"
#include "intercept/object/launch.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Whether long slices give way to others while they run (preemption.h).
enum class GivesWay : std::uint8_t { no, yes };

/// What is left of a launch that did not complete.
struct Unfinished {
  /// Groups that did not run because their slice was stopped, which is no failure: nothing they read was overwritten
  /// but by other groups of the launch. They may run on any device, after the results of all others.
  std::vector<StoppedSpan> stopped;
  std::vector<domain::GroupSpan> spans;  // groups without results; the results of all others are committed
  std::vector<bool> failed_on;           // per device
  bool inputs_intact = true;             // nothing that these groups read was overwritten without another copy
  Fault fault = Fault::none;             // the worst
  /// A batch reached the launch of the first slice. The device may have taken saved states, even if it refused the
  /// launch. False: an upload before it failed, or nothing was submitted.
  bool reached_first = false;
};

/// The groups of slices that were stopped are left to the rescue of others that failed, which runs them from their
/// beginning; not those of slices of which groups have begun, which stay in `unfinished.stopped` and go on behind it.
void leave_to_rescue(const std::vector<StoppedSpan>& stopped, Unfinished& unfinished);

class Conductor {
 public:
  /// `running`: told of the slices, which it may ask to end early where they give way; null: it is not asked.
  /// `stopped`: what has begun of the first slice of `decision`; without saved groups: nothing has.
  Conductor(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision, Event& event,
            GivesWay gives_way, RunningLaunch* running = nullptr, const StoppedSpan& stopped = {});

  /// Slices that can be stopped inside of groups are, once `wanted` is true. As StopToken has it. Before run().
  void stop_when(std::function<bool()> wanted) { wanted_ = std::move(wanted); }
  /// Slices that can be stopped are, where the launch is to be divided anew: `before` says how often it was. Before
  /// run().
  void divide_anew(DividedAnew before) { divides_anew_ = std::move(before); }
  /// Blocks until the results are committed. On an error, the results of slices that completed are committed all the
  /// same, and unfinished() tells the rest. Groups of slices that were stopped are in unfinished().stopped in any case.
  /// Once.
  Status run();
  [[nodiscard]] const Unfinished& unfinished() const { return unfinished_; }
  /// The reports of slices whose results are committed.
  [[nodiscard]] std::vector<SliceReport> reports() const;
  /// Bit d: device d may have compiled.
  [[nodiscard]] std::uint64_t first_uses() const { return first_uses_; }
  /// SKMD_CHECK=deopt: what the launch ends with because work-items trapped in it, although it ran to its end.
  /// Work-items that left their device are in unfinished().stopped and have not ended. After run().
  [[nodiscard]] const std::optional<domain::Error>& trapped() const { return trapped_; }
  [[nodiscard]] const LeftReport& left() const { return left_; }
  /// How the slices gave way to others. After run().
  [[nodiscard]] const PreemptReport& preempted() const { return preempted_; }
  /// Set if slices were stopped so that what is left is divided anew. After run().
  [[nodiscard]] const std::optional<DividedAnew>& divided_anew() const { return divided_anew_; }

 private:
  /// run() without the event's times.
  Status carry_out();
  [[nodiscard]] bool is_one_in_pieces() const;
  struct Slice {
    SliceReport report;
    Status status;
    Fault fault = Fault::none;
    bool ran = false;                          // it may have written
    std::uint32_t failures = 0;                // Health::failures() of its device, before residency is read
    std::unique_ptr<SlicePieces> pieces = {};  // of a slice that gives way
    bool has_uploads = false;                  // before its first piece
    std::shared_ptr<RunningSlice> told = {};   // to running_
    std::shared_ptr<SavedGroups> saved = {};   // of a slice that work-items leave where they would trap
    std::uint64_t begun = UINT64_MAX;          // of that: so many of its groups did begin
  };
  [[nodiscard]] MoveNeeds needs() const;
  /// What is joined of a root; what else the slices write is disjoint.
  [[nodiscard]] const domain::RangeSet& joined(std::size_t root) const;
  [[nodiscard]] bool is_replayed(std::size_t root) const;
  /// Rung 2 takes stored bytes and no others from a device: old ones are not needed there, unless it merges itself.
  [[nodiscard]] domain::RangeSet needed_by(const SliceWork& slice, std::size_t root) const;
  [[nodiscard]] bool merges(const SliceWork& slice) const;
  /// The device that runs a slice of machine.devices[device]: the launch's part, if it has one.
  [[nodiscard]] Device& port_of(std::uint32_t device) const;
  /// Plans all moves, and brings to host memory what goes there.
  Result<MovePlan> gather();
  Status begin_joining();
  /// Uploads and slices of all devices, nothing waited for, except that a slice which writes host memory in place
  /// starts after the uploads that still read it.
  void submit(MovePlan& moves, BatchGroup& group);
  void submit_uploads_first(MovePlan& moves);
  /// One slice's batch, and what becomes of its end.
  struct Prepared {
    std::size_t index = 0;
    Batch batch = {};
    std::uint64_t upload_bytes = 0;
    std::function<void(const BatchResult&)> done = {};
  };
  Result<Prepared> prepare(MovePlan& moves, BatchGroup& group, bool with_uploads, std::size_t index);
  /// Error: with SKMD_CHECK=deopt the slice's device can no longer take part in the launch.
  [[nodiscard]] Status may_be_checked(const SliceWork& slice) const;
  /// Whether work-items may leave the slice's device where they would trap, or are such that did.
  [[nodiscard]] bool is_left(const SliceWork& slice) const;
  /// The launch of such a slice.
  void append_left(const SliceWork& slice, const NativeCall& call, Slice& told, std::vector<Op>& ops) const;
  /// What is not done of such a slice.
  void add_left(const SliceWork& slice, const Slice& told);
  [[nodiscard]] Result<Stoppable> how_to_stop(const SliceWork& slice, NativeKernel& kernel) const;
  /// What has begun of the slice; nothing but of the first.
  [[nodiscard]] const StoppedSpan& begun_of(const SliceWork& slice) const;
  /// What the StopToken of a slice is to ask that can be stopped in that form.
  std::function<bool()> wanted_by(StopForm form);
  /// The first batch of a slice that gives way.
  void add_first_piece(MovePlan& moves, BatchGroup& group, Prepared& prepared, const Stoppable& how, NativeCall call);
  /// The launches of a slice, or of its first piece, behind the uploads in `prepared`.
  Status add_runs(MovePlan& moves, BatchGroup& group, Prepared& prepared);
  /// A piece of a slice that gives way, as its batch was submitted.
  struct Piece {
    domain::GroupSpan span;
    std::size_t uploads = 0;  // ops before its launches
    std::uint64_t upload_bytes = 0;
    bool first_use = false;
  };
  [[nodiscard]] std::function<void(const BatchResult&)> end_of_piece(MovePlan& moves, BatchGroup& group,
                                                                     std::size_t index, const Piece& piece);
  /// A piece's batch has ended: the next one is submitted.
  void piece_ended(MovePlan& moves, BatchGroup& group, std::size_t index, const Piece& piece,
                   const BatchResult& result) noexcept;
  /// Submits pieces of a slice until enough of them are under way, or none is left.
  void submit_pieces(MovePlan& moves, BatchGroup& group, std::size_t index) noexcept;
  /// Whether the device may compile for it, as first_uses() then tells.
  bool marks_first_use(std::uint32_t device, const domain::GroupSpan& span);
  /// Of all slices, how they gave way.
  void finish_all_pieces();
  /// The slice as it turned out: what its pieces told, and an error if some group ran twice or never.
  void finish_pieces(std::size_t index);
  [[nodiscard]] bool in_place_conflict(const MovePlan& moves) const;
  void slice_ended(std::size_t index, std::size_t uploads, const BatchResult& result);
  void fail(std::size_t index, domain::Error error, Fault fault);
  void fail(std::size_t index, const BatchResult& result) noexcept;
  Status fail_all(const domain::Error& error, Fault fault);
  /// Fails slices that ended well, but on bytes that an earlier batch was to bring and did not.
  void check_inputs();
  /// Slices that join in one shared memory cannot be told apart there: one fails, all fail.
  void join_failures();
  /// Restores the old values of joined bytes in host memory.
  void restore();
  /// Brings old contents that were kept on a device to host memory, for the devices that run the groups instead.
  void give_back_old();
  /// Merges and commits what completed; what did not becomes unfinished().
  Status settle();
  Status finish_joining(const std::vector<SliceWork>& completed);
  /// Rung 2: on the device that was chosen, or, if not all slices completed or it fails there, on the host.
  Status finish_replay(const std::vector<SliceWork>& completed);
  /// What has run of a slice that has not failed: all of it, or the spans that ran before it was stopped, of which the
  /// rest becomes unfinished().stopped.
  void add_completed(std::size_t index, std::vector<SliceWork>& completed);
  void commit(const std::vector<SliceWork>& completed);
  void commit(const SliceWork& slice);
  /// Takes what failed slices may have written out of residency: bytes with a copy elsewhere have their old values
  /// again, bytes without one keep what the slice left there.
  void abandon();

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const Decision& decision_;
  Event& event_;
  const GivesWay gives_way_;
  RunningLaunch* const running_;
  const StoppedSpan stopped_;
  std::function<bool()> wanted_;
  std::optional<DividedAnew> divides_anew_, divided_anew_;
  std::unique_ptr<Rebalancing> rebalancing_;  // made for the first slice that can be stopped; slices_ use it
  bool asked_to_divide_ = false;              // whether one may be made was found out
  std::vector<std::unique_ptr<Joining>> joinings_;
  std::unique_ptr<Replay> replay_;               // of all roots that take rung 2
  std::optional<std::uint32_t> next_user_;       // of those
  std::unique_ptr<DeviceReplay> device_replay_;  // null: the host does it
  Mutex mutex_{LockRank::conductor};
  // Under mutex_ while batches run; before and afterwards only the thread in run() has them.
  std::vector<Slice> slices_;
  Unfinished unfinished_;
  std::vector<SliceWork> begun_;  // groups that were stopped inside: their devices have what they wrote
  std::uint64_t first_uses_ = 0;
  PreemptReport preempted_;
  std::optional<domain::Error> trapped_;
  LeftReport left_;
};

}  // namespace skmd::icd
