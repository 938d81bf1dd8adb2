// SPDX-License-Identifier: Apache-2.0
// A batch with a launch that is checked on a vendor's device (SKMD_CHECK=deopt). Where work-items leave it before they
// would trap: in parts, each of as many groups as there is room for if all of their items leave. What they leave is put
// into RunOp::saved, and is no failure. Where many leave, groups of later parts do not begin (BatchResult::left). Where
// they go on, the kernel's report of the traps becomes BatchResult::trapped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cpu-driver/span_code.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/stoppable_code.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Device memory for records, which one launch after the other uses. Thread-safe.
class TrapRoom {
 public:
  /// Null if it is in use, or smaller.
  std::shared_ptr<NativeMemory> take(std::uint64_t bytes);
  void give(std::shared_ptr<NativeMemory> memory, std::uint64_t bytes);

 private:
  Mutex mutex_{LockRank::trap_room};
  std::shared_ptr<NativeMemory> memory_ SKMD_GUARDED_BY(mutex_);
  std::uint64_t bytes_ SKMD_GUARDED_BY(mutex_) = 0;
};

class TrapRun : public std::enable_shared_from_this<TrapRun> {
 public:
  /// What it asks of its device, which outlives it.
  struct Native {
    std::function<Result<std::shared_ptr<NativeMemory>>(std::uint64_t bytes)> allocate;
    std::function<Ticket(Batch&&)> submit;
    TrapRoom* room = nullptr;
    std::uint64_t most_bytes = 0;  // of records of one part; where items go on, its items
    const TrapHandling* traps = nullptr;
  };

  /// Precondition: StoppableRun::takes(batch.work()). `code`: of its kernel, and stays.
  TrapRun(Batch&& batch, const StoppableKernelCode& code, Native native);

  /// Submits the first part. As Device::submit(), but for std::bad_alloc, which fails the batch.
  Ticket begin();

 private:
  using Next = void (TrapRun::*)(BatchResult&&);
  [[nodiscard]] std::uint64_t items() const;  // of a group
  [[nodiscard]] std::uint64_t record_words() const;
  [[nodiscard]] std::uint64_t group_bytes() const { return items() * record_words() * 4; }
  void make_room();
  void make_records();
  [[nodiscard]] std::vector<std::uint32_t> control_words() const;
  void next_part();
  void submit(std::vector<Op> ops, bool launches, Next then);
  void ran(BatchResult&& result);
  void has_records(BatchResult&& result);
  void keep_records();
  void add_report();
  void go_on();
  void add_times(const BatchResult& result);
  void fail(cl_int status, std::string reason);
  void end(BatchResult&& result);

  Batch batch_;
  const RunOp& run_;
  const StoppableKernelCode& code_;
  const Native native_;
  std::uint64_t next_ = 0, behind_ = 0;  // the groups of the part under way
  std::uint64_t part_groups_ = 0;
  std::shared_ptr<NativeMemory> records_, control_;
  std::uint64_t record_bytes_ = 0;
  std::vector<std::uint32_t> words_, read_;  // of control, of records
  cpu::CheckReport report_;                  // of all parts
  std::size_t own_ops_ = 0, run_at_ = SIZE_MAX;
  std::vector<OpTime> times_;
  bool first_ = true;
  Mutex mutex_{LockRank::trap_run};
  Ticket ticket_ SKMD_GUARDED_BY(mutex_) = 0;
  bool ended_ SKMD_GUARDED_BY(mutex_) = false;
};

}  // namespace skmd::icd
