// SPDX-License-Identifier: Apache-2.0
// Runs groups of yielding kernels on threads, each of which can be left inside (group_state.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cpu-driver/runtime/group_state.h"
#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/runtime/span_library.h"
#include "cpu-driver/runtime/yield.h"
#include "partitioner/base/result.h"

namespace skmd::cpu {

/// Where groups that were left are kept. Called by all threads of a launch at once: thread-safe.
class GroupStore {
 public:
  GroupStore() = default;
  virtual ~GroupStore() = default;
  GroupStore(const GroupStore&) = delete;
  GroupStore& operator=(const GroupStore&) = delete;
  /// Whether there is anything of the groups from `first` to in front of `last`.
  [[nodiscard]] virtual bool holds(std::uint64_t first, std::uint64_t last) = 0;
  /// Takes out what there is of the group; nothing if it has not begun.
  virtual std::optional<GroupState> take(std::uint64_t group) = 0;
  /// std::bad_alloc: the group's work is lost.
  virtual void put(GroupState state) = 0;
};

/// What a launch's code is given: as for run_kernel(), with scratch memory for groups one at a time.
struct YieldingLaunch {
  const KernelCode& code;  // with yield points
  const SpanFrame& frame;
  std::span<const SpanArgument> arguments;  // the program's own
  std::uint64_t scratch_bytes = 0;
  std::uint64_t local_bytes = 0;  // of the scratch memory: the group's local memory
};

struct YieldingRan {
  std::uint64_t first_left = 0;  // the groups before it have ended
  std::uint64_t begun = 0;       // of the groups from first_left on to this one, each has ended or is in the store
};

/// Runs the groups [first, last) of the launch, each from where it is, until all have ended or `yield` is due: then
/// groups that run are left at their next yield points, and no other begins. Groups that have ended behind one that has
/// not are put into the store as well. An error if there is no memory: groups that were running may be lost, as those
/// of a failed device.
domain::Result<YieldingRan> run_yielding(Pool& pool, const YieldingLaunch& launch, std::uint64_t first,
                                         std::uint64_t last, GroupStore& store, const Yield& yield);

}  // namespace skmd::cpu
