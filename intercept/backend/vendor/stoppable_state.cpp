// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/stoppable_state.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cpu-driver/runtime/scratch.h"

namespace skmd::icd {

namespace {

namespace control = compiler::control;

std::vector<std::uint32_t> control_of(const StateLayout& layout, const RunOp& run,
                                      const std::vector<std::uint64_t>& groups) {
  std::vector<std::uint32_t> words(control::kGroups + (1 + control::kStages) * groups.size());
  words[control::kWorkDim] = run.range.work_dim;
  words[control::kStateWords] = static_cast<std::uint32_t>(layout.group_words());
  const domain::Extent3 counts = run.range.group_counts();
  for (std::size_t d = 0; d < counts.size(); ++d) {
    words[control::kGroupCounts + d] = static_cast<std::uint32_t>(counts[d]);
    words[control::kOffsets + 2 * d] = static_cast<std::uint32_t>(run.range.offset[d]);
    words[control::kOffsets + 2 * d + 1] = static_cast<std::uint32_t>(run.range.offset[d] >> 32);
  }
  for (std::size_t i = 0; i < layout.locals.size(); ++i) {
    words[control::kLocals + 2 * i] = static_cast<std::uint32_t>(layout.locals[i].first);
    words[control::kLocals + 2 * i + 1] = static_cast<std::uint32_t>(layout.locals[i].second);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) words[control::kGroups + i] = static_cast<std::uint32_t>(groups[i]);
  return words;
}

/// Kernels read the word that they have written: the second one of a group's points.
void put(const compiler::StoppableKernel& kernel, const StateLayout& layout, const SavedGroups::State& from,
         std::uint32_t* to) {
  std::copy(from.words.begin(), from.words.end(), to);
  if (kernel.facts.together != 0) to[1] = to[0];
  if (!from.local.empty()) std::memcpy(to + layout.words, from.local.data(), from.local.size());
}

}  // namespace

Result<StateLayout> state_layout(const compiler::StoppableKernel& kernel, const RunOp& run) {
  std::vector<std::uint64_t> sizes;
  if (run.arguments != nullptr)
    for (const NativeArgument& argument : *run.arguments)
      if (const auto* local = std::get_if<LocalArgument>(&argument)) sizes.push_back(local->bytes);
  const std::uint64_t local[3] = {run.range.local[0], run.range.local[1], run.range.local[2]};
  cpu::KernelFacts facts;
  facts.local_bytes = kernel.local_bytes;
  const auto places = cpu::scratch_layout(facts, local, sizes);
  if (!places) return domain::Error{CL_OUT_OF_RESOURCES, places.error().reason};
  StateLayout layout;
  layout.items = local[0] * local[1] * local[2];
  layout.words = kernel.facts.words(layout.items);
  layout.local_bytes = places->items_offset;
  for (std::size_t i = 0; i < sizes.size(); ++i) layout.locals.emplace_back(places->local_arguments[i], sizes[i]);
  return layout;
}

namespace {

bool is_of(const StoppedPart& part, const compiler::StoppableKernel& kernel, const StateLayout& layout) {
  return part.kernel.facts.schema == kernel.facts.schema && part.layout.items == layout.items &&
         part.layout.words == layout.words && part.layout.local_bytes == layout.local_bytes;
}

/// The groups from `next` on into `chunk`, and their part, if they were stopped together; else null.
std::shared_ptr<const StoppedPart> take_part(const compiler::StoppableKernel& kernel, const StateLayout& layout,
                                             const RunOp& run, std::uint64_t& next, std::uint64_t most,
                                             StateChunk& chunk) {
  auto part = std::dynamic_pointer_cast<const StoppedPart>(run.saved->together(next));
  if (part == nullptr || !is_of(*part, kernel, layout) || part->groups.size() > most || part->groups.front() != next ||
      part->groups.back() >= run.groups.last)
    return nullptr;
  const auto inside = std::count(part->stages.begin(), part->stages.end(), GroupStage::inside);
  chunk.groups = part->groups;
  if (!run.saved->take_together(*part, next, part->groups.back() + 1, static_cast<std::uint64_t>(inside)))
    return chunk.groups.clear(), nullptr;
  // The groups between them had ended before.
  for (const std::uint64_t group : part->groups) {
    for (; next < group; ++next) chunk.ended.push_back(next);
    ++next;
  }
  chunk.begun = {0, part->read.words};
  return part;
}

}  // namespace

Result<StateChunk> take_chunk(const compiler::StoppableKernel& kernel, const StateLayout& layout, const RunOp& run,
                              std::uint64_t& next, std::uint64_t most, const std::shared_ptr<PinnedPieces>& pieces) {
  StateChunk chunk;
  std::vector<std::pair<std::size_t, SavedGroups::State>> begun;
  const auto part = take_part(kernel, layout, run, next, most, chunk);
  for (; next < run.groups.last && chunk.groups.size() < most; ++next) {
    if (part != nullptr && run.saved->is_stopped(next)) break;  // for another chunk
    auto state = run.saved->take(next);
    if (state && state->words.empty()) {
      chunk.ended.push_back(next);
      continue;
    }
    if (state && (state->words.size() != layout.words || state->local.size() != layout.local_bytes))
      return domain::Error{CL_OUT_OF_RESOURCES, "the state of group " + std::to_string(next) + " has " +
                                                    std::to_string(state->words.size()) + " words and " +
                                                    std::to_string(state->local.size()) + " bytes, not " +
                                                    std::to_string(layout.words) + " and " +
                                                    std::to_string(layout.local_bytes)};
    if (state) begun.emplace_back(chunk.groups.size(), std::move(*state));
    chunk.groups.push_back(next);
  }
  chunk.control = control_of(layout, run, chunk.groups);
  // Some of its items may have ended elsewhere, which those that begin here do not see.
  const auto has_begun = [&](std::size_t index) {
    chunk.control[chunk.stages() + index * control::kStages + control::kAnyEnded] = 1;
  };
  for (std::size_t index = 0; part != nullptr && index < part->stages.size(); ++index)
    if (part->stages[index] != GroupStage::fresh) has_begun(index);
  if (begun.empty()) return chunk;
  chunk.begun.first = begun.front().first;
  chunk.begun.words =
      std::make_shared<StateWords>((begun.back().first + 1 - chunk.begun.first) * layout.group_words(), pieces);
  std::memset(chunk.begun.words->data(), 0, chunk.begun.words->size() * 4);  // groups between them begin
  for (const auto& [index, state] : begun) {
    has_begun(index);
    put(kernel, layout, state, chunk.begun.words->data() + (index - chunk.begun.first) * layout.group_words());
  }
  return chunk;
}

GroupStage stage_of(const StateChunk& chunk, std::size_t index) {
  const std::uint32_t* stages = chunk.control.data() + chunk.stages() + index * control::kStages;
  const std::uint32_t run = chunk.control[control::kRun];
  if (stages[control::kSavedIn] == run) return GroupStage::inside;
  if (stages[control::kFreshIn] != run) return GroupStage::ended;
  return stages[control::kAnyEnded] != 0 ? GroupStage::inside : GroupStage::fresh;
}

SavedGroups::State state_of(const compiler::StoppableKernel& kernel, const StateLayout& layout, const PartStates& read,
                            std::size_t index) {
  const std::uint32_t* words = read.words->data() + (index - read.first) * layout.group_words();
  SavedGroups::State state;
  state.schema = kernel.facts.schema;
  state.words.assign(words, words + layout.words);
  if (kernel.facts.together != 0) {
    state.words[0] = state.words[1];
    state.words[1] = cpu::kPointDone;
  }
  const auto* local = reinterpret_cast<const std::byte*>(words + layout.words);
  state.local.assign(local, local + layout.local_bytes);
  return state;
}

}  // namespace skmd::icd
