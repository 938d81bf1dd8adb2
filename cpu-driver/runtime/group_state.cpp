// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/group_state.h"

#include <algorithm>
#include <cstring>

namespace skmd::cpu {

namespace {

template <class Test>
bool all_points(const GroupState& state, const YieldFacts& facts, std::uint64_t items, Test test) {
  const auto first = state.words.begin() + static_cast<std::ptrdiff_t>(facts.first_point());
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(facts.point_count(items)), test);
}

}  // namespace

GroupState begin_group(std::uint64_t group, const YieldFacts& facts, std::uint64_t items) {
  return {group, std::vector<std::uint32_t>(facts.words(items)), {}};
}

void begin_next(GroupState& state, std::uint64_t group) {
  state.group = group;
  std::fill(state.words.begin(), state.words.end(), 0u);
  state.local.clear();
}

bool has_ended(const GroupState& state, const YieldFacts& facts, std::uint64_t items) {
  return state.words.empty() ||
         all_points(state, facts, items, [](std::uint32_t point) { return point == kPointDone; });
}

bool run_group(KernelFunction run, const YieldFacts& facts, SpanFrame& frame, std::vector<SpanArgument>& arguments,
               GroupState& state, std::uint32_t* control, std::byte* scratch, std::uint64_t local_bytes) {
  const std::uint64_t items = frame.local_size[0] * frame.local_size[1] * frame.local_size[2];
  arguments[arguments.size() - 2] = {reinterpret_cast<std::byte*>(state.words.data()), nullptr, state.words.size() * 4};
  arguments[arguments.size() - 1] = {reinterpret_cast<std::byte*>(control), nullptr, sizeof *control};
  frame.arguments = arguments.data();
  if (!state.local.empty())
    std::memcpy(scratch, state.local.data(), std::min<std::uint64_t>(state.local.size(), local_bytes));
  if (facts.together != 0) state.words[kGroupPoints - 1] = kPointDone;
  run(&frame, state.group, state.group + 1, scratch);
  if (facts.together != 0) state.words[0] = state.words[kGroupPoints - 1];
  if (has_ended(state, facts, items)) return true;
  state.local.assign(scratch, scratch + local_bytes);
  return false;
}

}  // namespace skmd::cpu
