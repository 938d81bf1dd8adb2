// SPDX-License-Identifier: Apache-2.0
// An application's own memory (CL_MEM_USE_HOST_PTR), where it has seen to nothing but its elements.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class HostMemory : public testing::TestWithParam<Way> {};

TEST_P(HostMemory, IsAlignedToElementsOnly) {
  Program program(R"(
    typedef struct { float4 a; int b; } Record;
    kernel void add(global float4* out, global const float4* in, constant float4* c) {
      const int i = get_global_id(0);
      out[i] = in[i] + c[0];
    }
    kernel void wide(global float16* out, global const float16* in) {
      const int i = get_global_id(0);
      if (i % 3 != 1) out[i] = in[i] * 2;
    }
    kernel void uniform(global float* out, global const float8* in, int k) {
      const float8 v = in[k];
      out[get_global_id(0)] = v.s0 + v.s7;
    }
    kernel void records(global Record* out, global const Record* in) {
      const int i = get_global_id(0);
      Record r = in[i];
      r.b += 1;
      out[i] = r;
    }
    kernel void copied(global float4* out, global const float4* in, local float4* tile) {
      const int x = get_local_id(0), n = get_local_size(0);
      event_t done = async_work_group_copy(tile, in + get_group_id(0) * n, n, 0);
      wait_group_events(1, &done);
      out[get_global_id(0)] = tile[n - 1 - x];
    })",
                  GetParam());
  constexpr std::size_t kItems = 48;
  constexpr std::size_t kFloats = 16 * kItems;
  alignas(64) static std::array<float, kFloats + 16> in, out;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 251);
  for (const std::size_t off : {1, 2, 3, 5}) {
    const auto source = [&](std::size_t i) { return in[off + i]; };
    const auto result = [&](std::size_t i) { return out[off + i]; };
    const auto place = [&](std::array<float, kFloats + 16>& floats) {
      return reinterpret_cast<std::byte*>(floats.data() + off);
    };
    const Shape shape = line(kItems / 12, 12);
    const auto run = [&](const char* kernel, Arguments arguments) {
      out.fill(-1);
      program.run(kernel, shape, arguments);
    };
    const auto both = [&] {
      return std::move(Arguments().memory(place(out), 4 * kFloats).memory(place(in), 4 * kFloats));
    };
    run("add", std::move(both().memory(place(in), 16)));
    for (std::size_t i = 0; i < 4 * kItems; ++i) ASSERT_EQ(result(i), source(i) + source(i % 4)) << off;
    run("wide", both());
    for (std::size_t i = 0; i < kFloats; ++i) ASSERT_EQ(result(i), i / 16 % 3 != 1 ? source(i) * 2 : -1) << off;
    run("uniform", std::move(both().value(3)));
    for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(result(i), source(24) + source(31)) << off;
    run("records", both());
    for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(result(8 * i + 3), source(8 * i + 3)) << off;
    run("copied", std::move(both().local(16 * 12)));
    for (std::size_t i = 0; i < 4 * kItems; ++i)
      ASSERT_EQ(result(i), source(i / 48 * 48 + (11 - i / 4 % 12) * 4 + i % 4)) << off;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, HostMemory, testing::ValuesIn(ways_of("HostMemory")),
                         [](const auto& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
