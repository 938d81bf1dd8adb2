// SPDX-License-Identifier: Apache-2.0
// Kernels as the code generator would make them, written by hand: for tests of the code that runs them. Needs no
// library.
#include <cstddef>
#include <cstdint>

#include "cpu-driver/span_code.h"

namespace {

using skmd::cpu::KernelFacts;
using skmd::cpu::SpanFrame;

template <class T>
T* buffer(const SpanFrame* frame, unsigned index) {
  return reinterpret_cast<T*>(frame->arguments[index].bytes);
}

template <class T>
T value(const SpanFrame* frame, unsigned index) {
  T out;
  __builtin_memcpy(&out, frame->arguments[index].bytes, sizeof out);
  return out;
}

/// The memory of a local argument, which is named by its offset.
template <class T>
T* local(const SpanFrame* frame, unsigned index, std::byte* scratch) {
  return reinterpret_cast<T*>(scratch + reinterpret_cast<std::uintptr_t>(frame->arguments[index].bytes));
}

}  // namespace

// clang-format off
#define SKMD_TEST_KERNEL(name, ...)                                                               \
  extern "C" {                                                                                    \
  __attribute__((visibility("default"))) extern const KernelFacts skmd_facts_##name;              \
  const KernelFacts skmd_facts_##name{__VA_ARGS__};                                               \
  __attribute__((visibility("default"))) void skmd_kernel_##name(const SpanFrame*, std::uint64_t, \
                                                                 std::uint64_t, std::byte*);      \
  }                                                                                               \
  void skmd_kernel_##name([[maybe_unused]] const SpanFrame* frame, [[maybe_unused]] std::uint64_t first, \
                          [[maybe_unused]] std::uint64_t last, [[maybe_unused]] std::byte* scratch)
// clang-format on

/// (): does nothing.
SKMD_TEST_KERNEL(nothing, 0, 0, 0, 0, 1) {}

/// (global uint* out): counts how often each group ran.
SKMD_TEST_KERNEL(count_groups, 0, 0, 0, 0, 1) {
  for (std::uint64_t group = first; group < last; ++group) ++buffer<std::uint32_t>(frame, 0)[group];
}

/// (global uint* out): tells for the first group of each call how many it was given.
SKMD_TEST_KERNEL(tell_pieces, 0, 0, 0, 0, 1) {
  buffer<std::uint32_t>(frame, 0)[first] = static_cast<std::uint32_t>(last - first);
}

/// (global uint* out, global const uint* in, uint addend): out[i] = in[i] + addend, of all global ids of dimension 0.
SKMD_TEST_KERNEL(add, 0, 0, 0, 0, 4) {
  for (std::uint64_t i = first * frame->local_size[0]; i < last * frame->local_size[0]; ++i) {
    const std::uint64_t id = frame->global_offset[0] + i;
    buffer<std::uint32_t>(frame, 0)[id] = buffer<std::uint32_t>(frame, 1)[id] + value<std::uint32_t>(frame, 2);
  }
}

/// (global uint* out, local uint* a, local uint* b): each group writes its items' ids to local variables, both
/// arguments and the items' memory, and adds up backwards what it finds there.
SKMD_TEST_KERNEL(use_scratch, 1000, 24, 4, 0, 8) {
  const std::uint64_t items = frame->local_size[0];
  for (std::uint64_t group = first; group < last; ++group) {
    auto* variables = reinterpret_cast<std::uint32_t*>(scratch);
    auto* a = local<std::uint32_t>(frame, 1, scratch);
    auto* b = local<std::uint32_t>(frame, 2, scratch);
    auto* fixed = reinterpret_cast<std::uint32_t*>(scratch + frame->items_offset);
    auto* own = fixed + 6;
    for (std::uint32_t i = 0; i < 250; ++i) variables[i] = i;
    for (std::uint32_t i = 0; i < 6; ++i) fixed[i] = 7;
    for (std::uint32_t i = 0; i < items; ++i) {
      a[i] = 3 * i;
      b[i] = 5 * i;
      own[i] = 11 * i;
    }
    for (std::uint64_t i = items; i < (items + 7) / 8 * 8; ++i) own[i] = ~0u;
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < 250; ++i) wrong += variables[i] != i;
    for (std::uint32_t i = 0; i < 6; ++i) wrong += fixed[i] != 7;
    for (std::uint32_t i = 0; i < items; ++i) wrong += a[i] != 3 * i || b[i] != 5 * i || own[i] != 11 * i;
    buffer<std::uint32_t>(frame, 0)[group] = wrong == 0 ? 1u : 0u;
  }
}

/// (global ulong* out): what the launch record says, for its first item.
SKMD_TEST_KERNEL(tell_geometry, 0, 0, 0, 0, 1) {
  if (first != 0) return;
  auto* out = buffer<std::uint64_t>(frame, 0);
  out[0] = frame->work_dim;
  for (unsigned d = 0; d < 3; ++d) {
    out[1 + d] = frame->global_offset[d];
    out[4 + d] = frame->global_size[d];
    out[7 + d] = frame->group_count[d];
    out[10 + d] = frame->local_size[d];
  }
}

/// (global const uint* gate, global uint* out): waits until gate[0] is not 0, then sets out[0].
SKMD_TEST_KERNEL(wait_at_gate, 0, 0, 0, 0, 1) {
  const volatile std::uint32_t* gate = buffer<std::uint32_t>(frame, 0);
  while (*gate == 0) {
  }
  buffer<std::uint32_t>(frame, 1)[0] = 1;
}

/// (global uint* out, uint rounds): takes time in each group.
SKMD_TEST_KERNEL(work_hard, 0, 0, 0, 0, 1) {
  for (std::uint64_t group = first; group < last; ++group) {
    std::uint32_t state = static_cast<std::uint32_t>(group) + 1;
    for (std::uint32_t i = value<std::uint32_t>(frame, 1); i > 0; --i) state = state * 1664525u + 1013904223u;
    buffer<std::uint32_t>(frame, 0)[group] = state;
  }
}
