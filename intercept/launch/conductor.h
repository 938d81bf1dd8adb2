// SPDX-License-Identifier: Apache-2.0
// Carries one decided launch through move -> run -> merge, on an executor thread. The ranges are locked by the caller.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/joining.h"
#include "intercept/object/event.h"
#include "intercept/object/mover.h"

namespace skmd::icd {

class Conductor {
 public:
  Conductor(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision, Event& event);

  /// Blocks until the results are committed. On an error, written ranges are undefined, inputs stay valid.
  Status run();
  /// After run() has failed: nothing that the launch reads was lost, so it may be run again.
  [[nodiscard]] bool inputs_intact() const { return inputs_intact_; }

 private:
  [[nodiscard]] std::vector<MoveNeed> needs() const;
  /// What is joined of a root; what else the slices write is disjoint.
  [[nodiscard]] const domain::RangeSet& joined(std::size_t root) const;
  Status begin_joining();
  /// Uploads and slices of all devices, nothing waited for, except that a slice which writes host memory in place
  /// starts after the uploads that still read it.
  Status submit(MovePlan& moves, BatchGroup& group);
  Status submit_uploads_first(MovePlan& moves);
  Status submit_device(MovePlan& moves, bool with_uploads, const SliceWork& slice, BatchGroup& group);
  [[nodiscard]] bool in_place_conflict(const MovePlan& moves) const;
  void commit();
  /// After a failure: every byte that had a copy elsewhere has its old value again. What had none keeps whatever the
  /// slices left there.
  void abandon(MovePlan& moves);
  Status finish_joining();
  void slice_ended(std::size_t index, std::size_t uploads, const BatchResult& result);
  void report(std::uint64_t begin);

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const Decision& decision_;
  Event& event_;
  std::vector<std::unique_ptr<Joining>> joinings_;
  std::mutex mutex_;
  std::vector<SliceReport> slices_;
  bool inputs_intact_ = true;
};

/// What a batch of one slice tells: transfers, the slice's times, and a sample for the model. `uploads`: how many ops
/// come before the slice's launches.
SliceReport account(Machine& machine, const Launch& launch, const SliceWork& slice, std::size_t uploads,
                    std::uint64_t upload_bytes, bool first, const BatchResult& result);

/// Tells the observer about a completed launch.
void report_launch(Machine& machine, const Launch& launch, const Decision& decision, std::vector<SliceReport> slices,
                   std::uint64_t begin);

/// Residency after a slice has written `ranges` of a root on its device (or will have, on an in-order queue).
void commit_slice(Machine& machine, const LaunchView& view, const SliceWork& slice, std::size_t root,
                  const domain::RangeSet& ranges);

/// Times are worth asking for: the model learns, or somebody watches.
bool wants_times(const Machine& machine);

}  // namespace skmd::icd
