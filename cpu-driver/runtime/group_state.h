// SPDX-License-Identifier: Apache-2.0
// Work-groups that yielding kernels leave before their end (cpu-driver/yield_facts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu-driver/span_code.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::cpu {

/// What a group that was stopped goes on from, on any processor and with any code of the same schema.
struct GroupState {
  std::uint64_t group = 0;           // flattened, of the launch
  std::vector<std::uint32_t> words;  // empty: the group has ended
  std::vector<std::byte> local;  // its local memory: variables, then local arguments, as in a KernelFunction's scratch
};

/// Of a group that has not begun, of `items` work-items.
GroupState begin_group(std::uint64_t group, const YieldFacts& facts, std::uint64_t items);

/// Makes `state`, of a group that has ended, that of another one that has not begun.
void begin_next(GroupState& state, std::uint64_t group);

/// Whether all items have ended.
bool has_ended(const GroupState& state, const YieldFacts& facts, std::uint64_t items);

/// Runs the group of `state` from where it is until it ends or, once `*control` is not 0, at a yield point. `frame`:
/// its arguments end with room for the two of a yielding kernel, which are set here, and groups do not run side by
/// side. `scratch`: as of a KernelFunction, with its first `local_bytes` bytes for the group's local memory. Returns
/// whether the group has ended.
bool run_group(KernelFunction run, const YieldFacts& facts, SpanFrame& frame, std::vector<SpanArgument>& arguments,
               GroupState& state, std::uint32_t* control, std::byte* scratch, std::uint64_t local_bytes);

}  // namespace skmd::cpu
