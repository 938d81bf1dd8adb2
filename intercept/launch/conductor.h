// SPDX-License-Identifier: Apache-2.0
// Carries one decided launch through move -> run -> merge, on an executor thread. The ranges are locked by the caller.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/device_replay.h"
#include "intercept/launch/joining.h"
#include "intercept/launch/replay.h"
#include "intercept/object/event.h"
#include "intercept/object/mover.h"
#include "partitioner/mutex.h"

namespace skmd::icd {

/// What is left of a launch that did not complete.
struct Unfinished {
  std::vector<domain::GroupSpan> spans;  // groups without results; the results of all others are committed
  std::vector<bool> failed_on;           // per device
  bool inputs_intact = true;             // nothing that these groups read was overwritten without another copy
  Fault fault = Fault::none;             // the worst
};

class Conductor {
 public:
  Conductor(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision, Event& event);

  /// Blocks until the results are committed. On an error, those of slices that completed are committed all the same,
  /// and unfinished() tells the rest.
  Status run();
  [[nodiscard]] const Unfinished& unfinished() const { return unfinished_; }
  /// Of slices whose results count.
  [[nodiscard]] std::vector<SliceReport> reports() const;
  /// Bit d: device d may have compiled.
  [[nodiscard]] std::uint64_t first_uses() const { return first_uses_; }

 private:
  struct Slice {
    SliceReport report;
    Status status;
    Fault fault = Fault::none;
    bool ran = false;            // it may have written
    std::uint32_t failures = 0;  // of its device, before the first look at residency
  };
  [[nodiscard]] MoveNeeds needs() const;
  /// What is joined of a root; what else the slices write is disjoint.
  [[nodiscard]] const domain::RangeSet& joined(std::size_t root) const;
  [[nodiscard]] bool is_replayed(std::size_t root) const;
  /// Rung 2 takes stored bytes and no others from a device: old ones are not needed there, unless it merges itself.
  [[nodiscard]] domain::RangeSet needed_by(const SliceWork& slice, std::size_t root) const;
  [[nodiscard]] bool merges(const SliceWork& slice) const;
  /// What is asked to run a slice of machine.devices[device].
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
  Result<Prepared> prepare(MovePlan& moves, bool with_uploads, std::size_t index);
  [[nodiscard]] bool in_place_conflict(const MovePlan& moves) const;
  void slice_ended(std::size_t index, std::size_t uploads, const BatchResult& result);
  void fail(std::size_t index, domain::Error error, Fault fault);
  void fail(std::size_t index, const BatchResult& result) noexcept;
  Status fail_all(const domain::Error& error, Fault fault);
  /// Slices that ended well, but on bytes that an earlier batch had promised and not brought.
  void check_inputs();
  /// Slices that join in one shared memory cannot be told apart there: one fails, all fail.
  void join_failures();
  /// What is joined has its old value in host memory again.
  void restore();
  /// Old contents that were kept on a device, for whoever runs the groups instead.
  void give_back_old();
  /// Merges and commits what completed; what did not becomes unfinished().
  Status settle();
  Status finish_joining(const std::vector<SliceWork>& completed);
  /// Rung 2: on the device that was chosen, or, if not all slices completed or it fails there, on the host.
  Status finish_replay(const std::vector<SliceWork>& completed);
  void commit(const std::vector<SliceWork>& completed);
  /// Every byte that had a copy elsewhere has its old value again. What had none keeps whatever the slice left there.
  void abandon();

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const Decision& decision_;
  Event& event_;
  std::vector<std::unique_ptr<Joining>> joinings_;
  std::unique_ptr<Replay> replay_;               // of all roots that take rung 2
  std::optional<std::uint32_t> next_user_;       // of those
  std::unique_ptr<DeviceReplay> device_replay_;  // null: the host does it
  Mutex mutex_;
  // Under mutex_ while batches run; before and afterwards only the thread in run() has them.
  std::vector<Slice> slices_;
  Unfinished unfinished_;
  std::uint64_t first_uses_ = 0;
};

/// What a batch of one slice tells: transfers, the slice's times, and a sample for the model. `uploads`: how many ops
/// come before the slice's launches.
SliceReport account(Machine& machine, const Launch& launch, LaunchShape& shape, const SliceWork& slice,
                    std::size_t uploads, std::uint64_t upload_bytes, bool first, const BatchResult& result);

/// How a launch ended.
struct Ended {
  std::uint64_t ns = 0;          // when, by the host's clock; 0: not known
  double seconds = 0.0;          // from decision to results; only of split launches
  std::uint64_t first_uses = 0;  // bit d: device d may have compiled
};

/// Tells the model, and the shape's rounds, what became of a launch that ended well. Thread-safe.
void learn_outcome(Machine& machine, const Launch& launch, LaunchShape& shape, const Decision& decision,
                   const Ended& ended);

/// Tells the observer about a completed launch.
/// Somebody is told of launches, and when they began.
bool reports_launches(const Machine& machine);
void report_launch(Machine& machine, const Launch& launch, const Decision& decision,
                   std::span<const SliceReport> slices, std::uint64_t begin);

/// Residency after a slice has written `ranges` of a root in its device's space (or will have, on an in-order queue).
/// With the root's mutex held.
void commit_written(Storage& root, domain::SpaceId space, const domain::RangeSet& ranges) SKMD_REQUIRES(root.mutex());

/// Times are worth asking for: the model learns, or somebody watches.
bool wants_times(const Machine& machine);

}  // namespace skmd::icd
