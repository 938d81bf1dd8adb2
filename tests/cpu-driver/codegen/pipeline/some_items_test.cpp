// SPDX-License-Identifier: Apache-2.0
// What only some items of a group or a vector have or may believe.
#include <gtest/gtest.h>

#include <array>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class SomeItems : public testing::TestWithParam<Way> {};

// The variable has no value in the others, and so is the same in all that have one.
TEST_P(SomeItems, KeepTheirOwnValueAcrossABarrier) {
  Program program(R"(
    kernel void first_items(global const int* in, global int* out, int some) {
      const int x = get_local_id(0), group = get_group_id(0);
      int mine, sum;
      if (x < some) {
        mine = in[group];
        sum = mine * 3 + in[group + 1];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (x < some) out[get_global_id(0)] = mine;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (x < some) out[get_global_id(0)] += sum;
    })",
                  GetParam());
  for (const int local : {3, 24, 33, 64}) {
    for (const int some : {1, 2, 8}) {
      std::vector<int> in{7, 100, -5, 13, 2000};
      std::vector<int> out(static_cast<std::size_t>(4 * local), -1);
      program.run("first_items", line(4, local), Arguments().buffer(in).buffer(out).value(some));
      for (int i = 0; i < 4 * local; ++i) {
        const auto group = static_cast<std::size_t>(i / local);
        ASSERT_EQ(out[i], i % local < some ? 4 * in[group] + in[group + 1] : -1) << i << " of groups of " << local;
      }
    }
  }
}

// The first item of a vector is not where those that read a float16 as such are.
TEST_P(SomeItems, KnowTheirAddressesAlignment) {
  Program program(R"(
    kernel void wide(global const float* in, global float* out) {
      const int i = get_global_id(0);
      if (i % 16 == 0) *(global float16*)(out + i) = *(global const float16*)(in + i) * 2;
    }
    kernel void four(global const float* in, global float* out) {
      const int i = get_global_id(0);
      if (i % 4 == 0) *(global float4*)(out + i) = *(global const float4*)(in + i) * 2;
    })",
                  GetParam());
  struct alignas(64) Line {
    std::array<float, 16> of{};
  };
  for (const std::uint64_t offset : {0, 2, 8, 15}) {
    for (const char* kernel : {"wide", "four"}) {
      std::vector<Line> in(8), out(8);
      for (std::size_t i = 0; i < 128; ++i) in[i / 16].of[i % 16] = static_cast<float>(i + 1);
      program.run(kernel, {{4, 1, 1}, {24, 1, 1}, {offset, 0, 0}, 1}, Arguments().buffer(in).buffer(out));
      const std::uint64_t step = kernel[0] == 'w' ? 16 : 4;
      const std::uint64_t first = (offset + step - 1) / step * step;
      const std::uint64_t last = (offset + 96 + step - 1) / step * step;
      for (std::size_t i = 0; i < 128; ++i)
        ASSERT_EQ(out[i / 16].of[i % 16], i >= first && i < last ? 2 * in[i / 16].of[i % 16] : 0) << kernel << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SomeItems, testing::ValuesIn(ways_of("SomeItems")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
