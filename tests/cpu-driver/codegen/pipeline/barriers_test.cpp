// SPDX-License-Identifier: Apache-2.0
// Kernels whose items wait for each other, in every place of the code and in groups of every size, against the same in
// C++.
#include <gtest/gtest.h>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class KernelsWithBarriers : public testing::TestWithParam<Way> {};

TEST_P(KernelsWithBarriers, ExchangeThroughLocalMemory) {
  Program program(R"(
    kernel void reverse(global int* data) {
      local int tile[4096];
      const size_t x = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
      const int mine = data[i] * 3;
      tile[x] = data[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      data[i] = tile[n - 1 - x] + mine;
    })",
                  GetParam());
  for (const std::uint64_t local : {1, 2, 3, 7, 16, 31, 64, 100, 4096}) {
    const Shape shape = line(3, local);
    auto data = counting(shape.items(), 5);
    const auto before = data;
    program.run("reverse", shape, Arguments().buffer(data));
    for (std::uint64_t i = 0; i < data.size(); ++i) {
      const std::uint64_t start = i / local * local;
      ASSERT_EQ(data[i], before[start + local - 1 - (i - start)] + before[i] * 3) << i << " of groups of " << local;
    }
  }
}

TEST_P(KernelsWithBarriers, ComeToThemInLoops) {
  Program program(R"(
    kernel void reduce(global const int* in, global int* out, local int* sums) {
      const uint x = get_local_id(0);
      int sum = 0;
      for (uint i = 0; i < 4; ++i) sum += in[get_global_id(0) + i * get_global_size(0)];
      sums[x] = sum;
      for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x < step) sums[x] += sums[x + step];
      }
      if (x == 0) out[get_group_id(0)] = sums[0];
    })",
                  GetParam());
  for (const std::uint64_t local : {1, 2, 8, 32, 256}) {
    const Shape shape = line(5, local);
    auto in = counting(shape.items() * 4, -100);
    std::vector<int> out(5, 0);
    program.run("reduce", shape, Arguments().buffer(in).buffer(out).local(local * 4));
    for (std::uint64_t g = 0; g < 5; ++g) {
      int sum = 0;
      for (std::uint64_t k = 0; k < 4; ++k)
        for (std::uint64_t x = 0; x < local; ++x) sum += in[k * shape.items() + g * local + x];
      ASSERT_EQ(out[g], sum) << "groups of " << local;
    }
  }
}

TEST_P(KernelsWithBarriers, ComeToThemInConditionsAndNestedLoops) {
  Program program(R"(
    kernel void nested(global int* out, int rounds) {
      local int cells[64];
      const int x = get_local_id(0), n = get_local_size(0);
      int mine = x;
      cells[x] = x + 1;
      for (int i = 0; i < rounds; ++i) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int left = cells[(x + n - 1) % n];
        if (i % 3 == get_group_id(0) % 3) {
          for (int k = 0; k < i; ++k) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (x == k % n) cells[x] += mine;
            mine += k;
          }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        cells[x] += left * 2;
        if (i == 4) break;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = cells[n - 1 - x] * 7 + mine;
    })",
                  GetParam());
  for (const int local : {1, 5, 33, 64}) {
    for (const int rounds : {0, 1, 3, 9}) {
      const Shape shape = line(4, local);
      std::vector<int> out(shape.items(), 0);
      program.run("nested", shape, Arguments().buffer(out).value(rounds));
      for (int g = 0; g < 4; ++g) {
        std::vector<unsigned> cells(local), mine(local), left(local);
        for (int x = 0; x < local; ++x) cells[x] = x + 1, mine[x] = x;
        for (int i = 0; i < rounds; ++i) {
          for (int x = 0; x < local; ++x) left[x] = cells[(x + local - 1) % local];
          if (i % 3 == g % 3) {
            for (int k = 0; k < i; ++k)
              for (int x = 0; x < local; ++x) {
                if (x == k % local) cells[x] += mine[x];
                mine[x] += k;
              }
          }
          for (int x = 0; x < local; ++x) cells[x] += left[x] * 2;
          if (i == 4) break;
        }
        for (int x = 0; x < local; ++x)
          ASSERT_EQ(static_cast<unsigned>(out[g * local + x]), cells[local - 1 - x] * 7 + mine[x])
              << "item " << x << " of " << local << ", " << rounds << " rounds";
      }
    }
  }
}

TEST_P(KernelsWithBarriers, LeaveItemsThatEndBeforeOne) {
  Program program(R"(
    kernel void guarded(global const int* in, global int* out, int n) {
      local int tile[64];
      const int i = get_global_id(0), x = get_local_id(0);
      tile[x] = 0;
      if (i >= n) return;
      tile[x] = in[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      const int other = tile[x ^ 1];
      if (in[i] % 5 == 0) return;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[i] = other * 2 + tile[x];
    })",
                  GetParam());
  const Shape shape = line(3, 64);
  for (const int n : {0, 1, 63, 64, 65, 100, 192}) {
    auto in = counting(shape.items(), 3);
    std::vector<int> out(shape.items(), -1);
    program.run("guarded", shape, Arguments().buffer(in).buffer(out).value(n));
    for (int i = 0; i < 192; ++i) {
      const int other = (i ^ 1) < n ? in[i ^ 1] : 0;
      ASSERT_EQ(out[i], i < n && in[i] % 5 != 0 ? other * 2 + in[i] : -1) << i << " of " << n;
    }
  }
}

TEST_P(KernelsWithBarriers, KeepPrivateVariables) {
  Program program(R"(
    kernel void keep(global int* out, int k) {
      local int tile[128];
      const int x = get_local_id(0) + get_local_size(0) * get_local_id(1), n = get_local_size(0) * get_local_size(1);
      int own[8];
      for (int i = 0; i < 8; ++i) own[i] = x * i;
      tile[x] = x;
      barrier(CLK_LOCAL_MEM_FENCE);
      own[k] += tile[(x + 1) % n];
      const bool odd = own[k] & 1;
      const float4 v = (float4)(x, own[1], own[k], 1.0f);
      const char small = (char)(x + k);
      barrier(CLK_LOCAL_MEM_FENCE);
      tile[x] = own[(k + x) % 8];
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_group_id(0) * n + x] = tile[n - 1 - x] + own[k] + (odd ? 1000 : 0) + (int)(v.x + v.y + v.z + v.w) + small;
    })",
                  GetParam());
  Shape shape{{2, 1, 1}, {19, 3, 1}, {0, 0, 0}, 2};
  const int n = 57;
  std::vector<int> out(2 * n);
  program.run("keep", shape, Arguments().buffer(out).value(3));
  const auto own = [&](int x, int i) { return x * i + (i == 3 ? (x + 1) % n : 0); };
  for (int x = 0; x < n; ++x) {
    const int y = n - 1 - x;
    const int expected = own(y, (3 + y) % 8) + own(x, 3) + ((own(x, 3) & 1) != 0 ? 1000 : 0) + x + own(x, 1) +
                         own(x, 3) + 1 + static_cast<std::int8_t>(x + 3);
    ASSERT_EQ(out[x], expected) << x;
    ASSERT_EQ(out[n + x], expected) << x;
  }
}

TEST_P(KernelsWithBarriers, CopyAsynchronously) {
  Program program(R"(
    kernel void copy(global const float4* in, global float* out, global const short* shorts) {
      local float4 tile[40];
      local short few[16];
      const int x = get_local_id(0), n = get_local_size(0), g = get_group_id(0);
      event_t e = async_work_group_copy(tile, in + g * 40, 40, 0);
      e = async_work_group_strided_copy(few, shorts + g, 16, 3, e);
      wait_group_events(1, &e);
      for (int i = x; i < 40; i += n) out[g * 40 + i] = tile[39 - i].y + few[i % 16];
    })",
                  GetParam());
  for (const std::uint64_t local : {1, 7, 64}) {
    const Shape shape = line(2, local);
    std::vector<float> in(2 * 40 * 4);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    std::vector<std::int16_t> shorts(64);
    for (std::size_t i = 0; i < shorts.size(); ++i) shorts[i] = static_cast<std::int16_t>(1000 - i);
    std::vector<float> out(80);
    program.run("copy", shape, Arguments().buffer(in).buffer(out).buffer(shorts));
    for (int g = 0; g < 2; ++g)
      for (int i = 0; i < 40; ++i)
        ASSERT_EQ(out[g * 40 + i], in[(g * 40 + 39 - i) * 4 + 1] + shorts[g + 3 * (i % 16)]) << g << " " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KernelsWithBarriers, testing::ValuesIn(ways_of("KernelsWithBarriers")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
