// SPDX-License-Identifier: Apache-2.0
// A batch with a launch that can be stopped inside of work-groups (RunOp::saved), on a vendor's device: the launch is
// repeated, each time for a quantum, until all of its groups have ended or it is to stop. Between two of them the
// device runs what else it was given.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/stoppable_code.h"
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
  };
  /// Whether `batch` is one that it is for: its last op is such a launch, and no other is.
  static bool takes(const std::vector<Op>& ops);

  /// Precondition: takes(batch.work()). `code`: of its kernel, and stays.
  StoppableRun(Batch&& batch, const StoppableKernelCode& code, Native native);

  /// Submits the first part. As Device::submit(), but for std::bad_alloc, which fails the batch.
  Ticket begin();
  /// The part that is under way; 0: the batch's `done` has been called.
  [[nodiscard]] Ticket under_way() const;

 private:
  using Next = void (StoppableRun::*)(BatchResult&&);
  /// What the device is given at a time.
  struct Part {
    std::vector<Op> ops;
    std::size_t own = 0;            // ops of the batch itself, in front
    std::size_t run_at = SIZE_MAX;  // the launch
  };

  [[nodiscard]] std::uint64_t group_bytes() const;
  [[nodiscard]] std::uint64_t all_groups() const;
  void make_room(std::uint64_t groups);
  void has_room(BatchResult&& result);
  void has_no_room(BatchResult&& result);
  void run_own();
  void ran_own(BatchResult&& result);
  void next_chunk();
  void run_again();
  void submit_launch(Part part);
  void submit(Part part, Next then, Next otherwise);
  void ran(BatchResult&& result);
  void read_stages();
  void read_states(BatchResult&& result);
  void kept(BatchResult&& result);
  void add_times(const BatchResult& result);
  [[nodiscard]] std::uint32_t next_fuel() const;
  void learn_fuel(std::uint64_t nanoseconds);
  void fail(cl_int status, std::string reason);
  void end(BatchResult&& result);

  Batch batch_;
  const RunOp& run_;
  const StoppableKernelCode& code_;
  const Native native_;
  StateLayout layout_;
  std::uint64_t next_ = 0;  // the first group that no chunk had yet
  StateChunk chunk_;
  PartStates read_;
  std::shared_ptr<NativeMemory> states_, control_;
  std::uint64_t capacity_ = 0;  // groups that states_ has room for
  std::uint32_t fuel_ = 0;
  std::size_t own_ops_ = 0, run_at_ = SIZE_MAX;  // of the Part under way
  std::vector<OpTime> times_;
  bool own_done_ = false;  // the batch's ops before the launch
  bool first_ = true;      // no launch has ended
  mutable Mutex mutex_{LockRank::stoppable_run};
  Ticket ticket_ SKMD_GUARDED_BY(mutex_) = 0;
  bool ended_ SKMD_GUARDED_BY(mutex_) = false;
};

}  // namespace skmd::icd
