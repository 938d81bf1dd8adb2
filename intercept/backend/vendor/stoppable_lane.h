// SPDX-License-Identifier: Apache-2.0
// Groups of a launch that are run until all of them have ended, in one list, with memory for their states: what a
// device is given for each run of them, and what it answered.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/stoppable_code.h"
#include "intercept/backend/vendor/stoppable_state.h"

namespace skmd::icd {

/// Not thread-safe. Everything stays where it is while a run of it is under way.
class StoppableLane {
 public:
  static constexpr unsigned kRuns = 2;  // under way at most

  /// Room for `capacity` states. The memory's contents do not matter.
  StoppableLane(std::shared_ptr<NativeMemory> states, std::shared_ptr<NativeMemory> control, std::uint64_t capacity)
      : states_(std::move(states)), control_(std::move(control)), capacity_(capacity) {}

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  /// Of the control words of so many groups.
  static std::uint64_t control_bytes(std::uint64_t groups) {
    return (compiler::control::kGroups + (1 + compiler::control::kStages) * groups) * 4;
  }
  /// Uses all of its memory once: drivers may find out only then that they have none.
  void try_memory(std::uint64_t group_bytes, std::vector<Op>& ops) const;

  /// Takes a list, which covers the launch's groups `span`, and adds what writes its states. Precondition: !open().
  void take(StateChunk&& chunk, const domain::GroupSpan& span, std::uint64_t group_bytes, std::vector<Op>& ops);
  /// Adds the next run of the list to `ops`. Returns the launch's index there. Precondition: open(), and fewer than
  /// kRuns are under way.
  std::size_t run(const RunOp& launch, const StoppableKernelCode& code, std::uint64_t group_bytes, std::uint32_t fuel,
                  std::vector<Op>& ops);
  /// The oldest run that is under way has ended. If it left no group, the list is done as soon as no run is under way.
  void ended();
  /// A run was not submitted, or failed: no other follows.
  void dropped() { --under_way_; }

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] unsigned under_way() const { return under_way_; }
  /// The last run that has ended left groups.
  [[nodiscard]] bool left() const { return left_; }
  [[nodiscard]] const domain::GroupSpan& span() const { return span_; }
  [[nodiscard]] const StateChunk& chunk() const { return chunk_; }
  /// What the oldest run under way was given.
  [[nodiscard]] std::uint32_t fuel() const { return fuels_[oldest_ % fuels_.size()]; }

  /// Adds a read of what became of each group. Precondition: open(), and no run is under way.
  void read_stages(std::vector<Op>& ops);
  /// Adds a read of the states of those that are inside, if there are any, once their stages were read.
  void read_states(std::uint64_t group_words, const std::shared_ptr<PinnedPieces>& pieces, std::vector<Op>& ops);
  /// What was read.
  [[nodiscard]] PartStates take_states() { return std::move(read_); }

 private:
  std::shared_ptr<NativeMemory> states_, control_;
  std::uint64_t capacity_;
  StateChunk chunk_;
  domain::GroupSpan span_;
  PartStates read_;
  bool open_ = false, left_ = false;
  unsigned under_way_ = 0;
  std::uint32_t oldest_ = 0;  // number of the oldest run that is under way, or of the next one
  // By the number of the run: what it writes into control, what it was given to leave, and what it read out.
  std::array<std::vector<std::uint32_t>, kRuns> headers_;
  std::array<std::uint32_t, kRuns> fuels_{}, answers_{};
};

}  // namespace skmd::icd
