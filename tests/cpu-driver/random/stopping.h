// SPDX-License-Identifier: Apache-2.0
// Yielding kernels that are stopped at each of their yield points.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cpu-driver/runtime/group_state.h"
#include "cpu-driver/runtime/span_library.h"
#include "tests/cpu-driver/random/memory.h"

namespace skmd::cpu::test {

inline constexpr int kUnset = 0x5A;

inline std::uint64_t up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

/// A kernel's code with scratch memory of its own, which holds nothing but rubbish before each run.
struct Stopping {
  KernelCode code;
  SpanFrame frame;
  std::vector<SpanArgument> arguments;
  std::uint64_t local_bytes = 0, scratch_bytes = 0;

  Stopping(const KernelCode& made, const SpanFrame& geometry, std::vector<SpanArgument> given,
           const std::vector<std::size_t>& locals)
      : code(made), frame(geometry), arguments(std::move(given)) {
    std::uint64_t place = code.facts.local_bytes;
    for (const std::size_t local : locals) {
      place = up(place, kScratchAlignment);
      arguments[local].bytes = reinterpret_cast<std::byte*>(place);
      place += arguments[local].size;
    }
    arguments.resize(arguments.size() + 2);
    local_bytes = place;
    frame.items_offset = up(place, kScratchAlignment);
    const std::uint64_t items = up(frame.local_size[0], code.facts.width) * frame.local_size[1] * frame.local_size[2];
    scratch_bytes = frame.items_offset + code.facts.fixed_bytes + items * code.facts.item_bytes;
  }

  bool run(GroupState& state) {
    const Guarded around(scratch_bytes + 2 * kReadAroundScratch);
    std::memset(around.data(), kUnset, around.size());
    std::uint32_t control = 1;
    const bool ended = run_group(code.run, code.yields, frame, arguments, state, &control,
                                 around.data() + kReadAroundScratch, local_bytes);
    if (!around.intact()) throw std::runtime_error("a yielding kernel wrote outside its scratch memory");
    return ended;
  }
};

}  // namespace skmd::cpu::test
