// SPDX-License-Identifier: Apache-2.0
// One slice of a launch that gives way while it runs: the pieces in which a device gets it, and what is left of it when
// it was stopped.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/preemption.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "intercept/observe/observer.h"
#include "partitioner/base/mutex.h"
#include "partitioner/plan/continuation.h"

namespace skmd::icd {

/// Thread-safe. A device that is given launches in pieces has two of them at a time, so that it never waits for the
/// next; one that can end a launch between groups has all that is left in one piece, and ends it early when others
/// wait: they come next, and the rest behind them.
class SlicePieces {
 public:
  /// `may_stop`: false for a slice that gives way to others on its device, but ends there. `stopped`: what has
  /// begun of it, if anything has. `wanted`: as StopToken has it; may be empty.
  SlicePieces(Machine& machine, const Launch& launch, const LaunchView& view, const SliceWork& slice,
              const Stoppable& how, NativeCall call, bool may_stop, const StoppedSpan& stopped,
              const std::function<bool()>& wanted);

  /// By which the slice can be stopped; null if it ends on its device in any case.
  [[nodiscard]] std::shared_ptr<StopToken> token() const { return may_stop_ ? token_ : nullptr; }
  /// A piece to be submitted, whose launches are appended to `ops`; nothing if none is to be submitted now. The first
  /// call always gives one. std::bad_alloc: no piece has begun.
  std::optional<domain::GroupSpan> begin(std::vector<Op>& ops);
  /// A piece that begin() gave has ended well. `uploads`: ops of its batch before its launches. Returns the groups that
  /// have run. std::bad_alloc: the piece counts as under way for ever, so that complete() is false.
  domain::GroupSpan ended(const domain::GroupSpan& piece, std::size_t uploads, const BatchResult& result);
  /// What its batch told; `first_use`: the device may have compiled.
  void add(const SliceReport& report, bool first_use);
  /// A piece failed, or was not submitted: no other begins. The whole slice counts as failed.
  void failed();

  // When all pieces have ended:
  /// Times and bytes of all pieces; its span has as many groups as have run.
  [[nodiscard]] SliceReport report() const;
  [[nodiscard]] std::span<const domain::GroupSpan> done() const { return sequence_.done(); }
  [[nodiscard]] std::span<const domain::GroupSpan> left() const { return sequence_.left(); }
  /// Of left(): the first groups, which have begun; empty: none has.
  [[nodiscard]] const domain::GroupSpan& begun() const { return begun_groups_; }
  [[nodiscard]] const std::shared_ptr<SavedGroups>& saved() const { return saved_; }
  /// None of its pieces is under way, and none follows.
  [[nodiscard]] bool over() const;
  /// Whether each group has run once or is left.
  [[nodiscard]] bool complete() const;
  /// Tells the model what the groups that ran took. One piece says little: it is told of all together. `slow`: the
  /// slice was stopped because of that time: what is left of it would have taken as long.
  void teach(bool slow) const;
  /// What the statistics get; of a slice that failed, the form alone.
  [[nodiscard]] PreemptReport told(bool ended_well) const;

 private:
  /// While it lives, the machine knows of a long slice on the device.
  struct Counted {
    explicit Counted(std::atomic<std::uint32_t>& slices) : slices_(slices) {
      slices_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Counted() { slices_.fetch_sub(1, std::memory_order_relaxed); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    std::atomic<std::uint32_t>& slices_;
  };
  [[nodiscard]] domain::PieceRule rule() const SKMD_REQUIRES(mutex_);
  /// Groups may wait for each other.
  [[nodiscard]] bool may_wait() const;
  /// Nanoseconds.
  [[nodiscard]] std::uint64_t quantum() const;
  void stop() SKMD_REQUIRES(mutex_);

  const Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const SliceWork& slice_;
  const StopForm form_;
  const std::uint32_t points_;
  const bool together_;  // of StopForm::item: all items of a group leave at one point
  const NativeCall call_;
  const bool may_stop_;
  const std::uint64_t least_;  // groups of a piece
  const std::shared_ptr<StopToken> token_;
  const Counted counted_;
  mutable Mutex mutex_{LockRank::slice_pieces};
  // Under mutex_ while pieces are under way; afterwards only the conductor has them.
  domain::PieceSequence sequence_;
  const std::shared_ptr<SavedGroups> saved_;  // of StopForm::item
  const SavedGroups::Counts before_;          // what it counted when this slice began
  domain::GroupSpan begun_groups_ = {};
  SliceReport report_;
  struct {
    std::uint64_t groups = 0, nanoseconds = 0;
  } warm_;  // of pieces for which the device did not compile
  bool begun_ = false;
  std::uint64_t stop_ns_ = 0;  // from the request to the end of what was under way; 0: it was not stopped
};

}  // namespace skmd::icd
