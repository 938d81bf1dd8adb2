// SPDX-License-Identifier: Apache-2.0
// States of work-groups as kernels of compiler/client/stoppable.h have them on a device, and as any device can go on
// from them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/client/stoppable.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/state_words.h"

namespace skmd::icd {

/// Where things lie in the state of one group, and in control.
struct StateLayout {
  std::uint64_t items = 0;        // work-items of a group
  std::uint64_t words = 0;        // of compiler/yield/schema.h
  std::uint64_t local_bytes = 0;  // behind them; a multiple of 4
  /// Of each local parameter: its place in there, and its size; bytes.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> locals;

  [[nodiscard]] std::uint64_t group_words() const { return words + local_bytes / 4; }
};
Result<StateLayout> state_layout(const compiler::StoppableKernel& kernel, const RunOp& run);

/// States of some of a chunk's groups.
struct PartStates {
  std::size_t first = 0;              // the first group's place in the chunk
  std::shared_ptr<StateWords> words;  // null: of none
};

/// What a group is.
enum class GroupStage : std::uint8_t { fresh, inside, ended };

/// States of groups that were stopped together, as the device had them.
struct StoppedPart : SavedTogether {
  compiler::StoppableKernel kernel;
  StateLayout layout;
  std::vector<std::uint64_t> groups;  // whose states `read` has, from its first on; ascending
  std::vector<GroupStage> stages;     // of each; the first and the last are `inside`
  PartStates read;
};

/// Groups that one launch is given, and their states.
struct StateChunk {
  std::vector<std::uint64_t> groups;   // numbers in the whole launch, ascending; `begun` says which have ended
  std::vector<std::uint64_t> ended;    // between them, before this chunk
  PartStates begun;                    // all states before the first launch that are not zeros
  std::vector<std::uint32_t> control;  // as the launch finds it; the stages at its end as the last one left them

  [[nodiscard]] std::size_t stages() const { return compiler::control::kGroups + groups.size(); }
};

/// The next groups of `run`, from the `next`th of its groups on and at most `most`, that have not ended; takes what
/// there is of them out of run.saved, into memory of `pieces` (StateWords); of groups that were stopped together, and
/// have not gone on since, what was read goes back as it is. Moves `next` behind the last one that was looked at. An
/// error: a state, which may come out of a file, is not of this kernel's size.
Result<StateChunk> take_chunk(const compiler::StoppableKernel& kernel, const StateLayout& layout, const RunOp& run,
                              std::uint64_t& next, std::uint64_t most, const std::shared_ptr<PinnedPieces>& pieces);

/// Of the chunk's `index`th group after a launch whose stages were read.
GroupStage stage_of(const StateChunk& chunk, std::size_t index);
/// What is kept of a group that is `inside`; `read` has its state. Throws std::bad_alloc.
SavedGroups::State state_of(const compiler::StoppableKernel& kernel, const StateLayout& layout, const PartStates& read,
                            std::size_t index);

}  // namespace skmd::icd
