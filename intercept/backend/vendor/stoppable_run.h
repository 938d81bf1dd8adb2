// SPDX-License-Identifier: Apache-2.0
// A batch with a launch that can be stopped inside of work-groups (RunOp::saved), on a vendor's device: the launch is
// repeated, each time for a quantum, until all of its groups have ended or it is to stop. Between two runs the device
// runs what else it was given.
//
// With Native::ahead a device is given the next run, of other groups or of the same, while one is under way: it does
// not stand still until the host has seen the first one end. Quanta are shorter then, as a stop, and what else the
// device was given, wait for both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/stoppable_code.h"
#include "intercept/backend/vendor/stoppable_lane.h"
#include "intercept/backend/vendor/stoppable_state.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class StoppableRun : public std::enable_shared_from_this<StoppableRun> {
 public:
  /// What it asks of its device, which outlives it.
  struct Native {
    std::function<Result<std::shared_ptr<NativeMemory>>(std::uint64_t bytes)> allocate;
    std::function<Ticket(Batch&&)> submit;
    /// Page-locked memory for states (StateWords), which with `make` is made if it is not there; null: there is none.
    std::function<std::shared_ptr<PinnedPieces>(bool make)> pieces;
    /// Kernels leave by a clock, and submit() does not wait for what runs.
    bool ahead = false;
  };
  /// Whether `batch` is one that it is for: its last op is such a launch, and no other is.
  static bool takes(const std::vector<Op>& ops);

  /// Precondition: takes(batch.work()). `code`: of its kernel, and stays.
  StoppableRun(Batch&& batch, const StoppableKernelCode& code, Native native);

  /// Submits the first part. As Device::submit(), but for std::bad_alloc, which fails the batch.
  Ticket begin();
  /// The part that was submitted last; 0: the batch's `done` has been called.
  [[nodiscard]] Ticket under_way() const;

 private:
  using Next = std::function<void(BatchResult&&)>;
  /// Of ops that the device is given at a time.
  struct Place {
    std::size_t own = 0;               // of the batch itself, in front
    std::size_t launch_at = SIZE_MAX;  // SIZE_MAX: there is no launch
  };

  // All but begin() and under_way() on the thread that completes a part, and the device completes one after the other.
  [[nodiscard]] std::uint64_t group_bytes() const;
  [[nodiscard]] std::uint64_t all_groups() const;
  [[nodiscard]] bool to_stop() const { return run_.stop != nullptr && run_.stop->requested(); }
  [[nodiscard]] std::uint64_t quantum() const;
  void make_room(std::uint64_t groups);
  void run_own();
  void feed();
  [[nodiscard]] bool too_far_ahead() const;
  StoppableLane* next_lane(std::vector<Op>& ops);
  void run(StoppableLane& lane, std::vector<Op>&& ops);
  void submit(std::vector<Op>&& ops, Next then);
  void ran(StoppableLane& lane, const BatchResult& result, std::size_t launch_at);
  void failed(BatchResult&& result, const Place& place);
  void note(BatchResult&& result, const Place& place);
  void settle();
  void read_stages();
  void read_states();
  void keep_lane(StoppableLane& lane, std::uint64_t first_left);
  void keep();
  void add_times(const OpTime& run);
  [[nodiscard]] std::uint32_t next_fuel() const;
  void learn_fuel(std::uint32_t given, std::uint64_t nanoseconds);
  void fail(cl_int status, std::string reason);
  void end(BatchResult&& result);

  Batch batch_;
  const RunOp& run_;
  const StoppableKernelCode& code_;
  const Native native_;
  StateLayout layout_;
  const bool ahead_;
  std::uint64_t next_ = 0;  // the first group that no list had yet
  std::vector<std::unique_ptr<StoppableLane>> lanes_;
  std::vector<domain::GroupSpan> done_;  // of lists whose groups have all ended
  std::uint32_t fuel_ = 0;
  unsigned under_way_ = 0;  // runs
  std::vector<OpTime> times_;
  bool own_done_ = false;      // the batch's ops before the launch
  bool begun_ = false;         // a run was submitted
  bool may_have_run_ = false;  // some of the launch
  std::optional<BatchResult> failure_;
  mutable Mutex mutex_{LockRank::stoppable_run};
  Ticket ticket_ SKMD_GUARDED_BY(mutex_) = 0;
  bool ended_ SKMD_GUARDED_BY(mutex_) = false;
};

}  // namespace skmd::icd
