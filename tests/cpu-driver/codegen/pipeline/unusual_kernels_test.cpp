// SPDX-License-Identifier: Apache-2.0
// Kernels as few programs have them, against the same in C++: each item's own memory by way of pointers, barriers and
// ends in odd places.
#include <gtest/gtest.h>
#include <pthread.h>

#include <numeric>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class Unusual : public testing::TestWithParam<Way> {};

TEST_P(Unusual, PointersToPrivateVariablesLiveAcrossBarriers) {
  Program program(R"(
    kernel void pointers(global int* out, int k) {
      local int tile[64];
      const int x = get_local_id(0), n = get_local_size(0);
      int a[3] = {x, x + 1, x + 2}, b[3] = {10 * x, 5, 7};
      int* both[4];
      for (int j = 0; j < 4; ++j) both[j] = (j + k) % 2 == k % 2 ? a + j / 2 : b + (j - 1);
      tile[x] = a[k % 3];
      barrier(CLK_LOCAL_MEM_FENCE);
      int* mine = both[(x + k) % 4];
      *mine += tile[(x + 1) % n];
      barrier(CLK_LOCAL_MEM_FENCE);
      both[(x + k) % 4][0] += 3;
      out[get_global_id(0)] = *mine + a[0] + 2 * a[1] + 3 * b[0] + 4 * b[2];
    })",
                  GetParam());
  for (const int local : {1, 6, 33, 64}) {
    const Shape shape = line(3, local);
    for (const int k : {0, 1, 2, 3}) {
      std::vector<int> out(shape.items(), -1);
      program.run("pointers", shape, Arguments().buffer(out).value(k));
      for (int i = 0; i < static_cast<int>(out.size()); ++i) {
        const int x = i % local;
        int a[3] = {x, x + 1, x + 2}, b[3] = {10 * x, 5, 7};
        int* both[4] = {a, b, a + 1, b + 2};
        *both[(x + k) % 4] += (x + 1) % local + k % 3;
        *both[(x + k) % 4] += 3;
        ASSERT_EQ(out[i], *both[(x + k) % 4] + a[0] + 2 * a[1] + 3 * b[0] + 4 * b[2]) << i << " of groups of " << local;
      }
    }
  }
}

// Kernels run on threads of the application, too, which may have chosen small stacks.
TEST_P(Unusual, MuchPrivateMemoryFitsASmallStack) {
  std::string source =
      "kernel void much(global int* out, int k, int m) {\n  const int i = get_global_id(0);\n  int sum = 0;\n";
  for (int v = 0; v < 60; ++v) {
    const std::string a = "a" + std::to_string(v);
    source += "  int " + a + "[4000]; for (int j = 0; j < m; ++j) " + a + "[(j * 7 + i) % 4000] = i + j + " +
              std::to_string(v) + ";\n";
  }
  for (int v = 0; v < 60; ++v) source += "  sum += a" + std::to_string(v) + "[(i + 7 * k) % 4000];\n";
  Program program(source + "  out[i] = sum;\n}", GetParam());
  struct Work {
    Program* program;
    std::vector<int> out;
  } work{&program, std::vector<int>(6, -1)};
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
  pthread_t thread{};
  const auto body = [](void* given) -> void* {
    auto* own = static_cast<Work*>(given);
    own->program->run("much", line(2, 3), Arguments().buffer(own->out).value(5).value(20));
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  for (int i = 0; i < 6; ++i) ASSERT_EQ(work.out[i], 60 * (i + 5) + 59 * 30) << i;
}

TEST_P(Unusual, SeveralEventsAreWaitedFor) {
  Program program(R"(
    kernel void events(global const int* in, global int* out, int rounds) {
      local int tiles[2][32];
      const int x = get_local_id(0), n = get_local_size(0);
      event_t e[2];
      int sum = 0;
      for (int r = 0; r < rounds; ++r) {
        e[0] = async_work_group_copy(tiles[0], in + r, 32, 0);
        e[1] = async_work_group_copy(tiles[1], in + 2 * r, 32, 0);
        wait_group_events(2, e);
        sum += tiles[0][(x * 3) % 32] * 3 + tiles[1][(x + r) % 32];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      tiles[0][x % 32] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      event_t last = async_work_group_copy(out + get_group_id(0) * n, tiles[0], n, 0);
      wait_group_events(1, &last);
    })",
                  GetParam());
  std::vector<int> in(64);
  std::iota(in.begin(), in.end(), 5);
  for (const int local : {1, 5, 32}) {
    std::vector<int> out(3 * local, -1);
    program.run("events", line(3, local), Arguments().buffer(in).buffer(out).value(4));
    for (int i = 0; i < 3 * local; ++i) {
      const int x = i % local;
      int sum = 0;
      for (int r = 0; r < 4; ++r) sum += in[(x * 3) % 32 + r] * 3 + in[(x + r) % 32 + 2 * r];
      ASSERT_EQ(out[i], sum) << i << " of groups of " << local;
    }
  }
}

TEST_P(Unusual, KernelsCallKernelsWithLocalVariables) {
  Program program(R"(
    kernel void inner(global int* data, int by) {
      local int tile[64];
      const int x = get_local_id(0), n = get_local_size(0);
      tile[x] = data[get_global_id(0)] * by;
      barrier(CLK_LOCAL_MEM_FENCE);
      data[get_global_id(0)] = tile[(x + 1) % n];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    kernel void outer(global int* data) {
      local int other[64];
      local long wide;
      const int x = get_local_id(0);
      other[x] = x;
      if (x == 0) wide = 5;
      inner(data, 2);
      inner(data, 3);
      data[get_global_id(0)] += other[get_local_size(0) - 1 - x] + (int)wide;
    })",
                  GetParam());
  for (const int local : {1, 7, 64}) {
    const Shape shape = line(3, local);
    std::vector<int> data(shape.items());
    std::iota(data.begin(), data.end(), 3);
    const std::vector<int> before = data;
    program.run("outer", shape, Arguments().buffer(data));
    for (int i = 0; i < static_cast<int>(data.size()); ++i) {
      const int x = i % local, start = i - x;
      ASSERT_EQ(data[i], before[start + (x + 2) % local] * 6 + local - 1 - x + 5) << i << " of groups of " << local;
    }
  }
}

TEST_P(Unusual, ItemsEndInEveryRoundOfALoopWithBarriers) {
  Program program(R"(
    kernel void ends(global const int* lives, global int* out, int rounds) {
      local int seen[64];
      const int x = get_local_id(0), i = get_global_id(0);
      seen[x] = 0;
      int sum = 0;
      for (int r = 0; r < rounds; ++r) {
        if (lives[i] == r) { out[i] = sum; return; }
        barrier(CLK_LOCAL_MEM_FENCE);
        seen[x] = r + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += seen[(x + 1) % get_local_size(0)] * (r + 1);
        if (lives[i] == -r - 1) return;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[i] = -sum;
    })",
                  GetParam());
  for (const int local : {1, 7, 33, 64}) {
    const Shape shape = line(4, local);
    std::vector<int> lives(shape.items()), out(shape.items(), 12345);
    for (int i = 0; i < static_cast<int>(lives.size()); ++i) lives[i] = (i / local == 3 ? 2 : i * 7 % 13 - 4);
    program.run("ends", shape, Arguments().buffer(lives).buffer(out).value(6));
    for (int g = 0; g < 4; ++g) {
      std::vector<int> seen(local, 0), sum(local, 0), expected(local, 12345);
      std::vector<bool> alive(local, true);
      const int* life = &lives[g * local];
      for (int r = 0; r < 6; ++r) {
        for (int x = 0; x < local; ++x)
          if (alive[x] && life[x] == r) expected[x] = sum[x], alive[x] = false;
        for (int x = 0; x < local; ++x)
          if (alive[x]) seen[x] = r + 1;
        for (int x = 0; x < local; ++x)
          if (alive[x]) sum[x] += seen[(x + 1) % local] * (r + 1);
        for (int x = 0; x < local; ++x)
          if (alive[x] && life[x] == -r - 1) alive[x] = false;
      }
      for (int x = 0; x < local; ++x) {
        if (alive[x]) expected[x] = -sum[x];
        ASSERT_EQ(out[g * local + x], expected[x]) << "item " << x << " of " << local << " of group " << g;
      }
    }
  }
}

TEST_P(Unusual, ValuesOfOneRegionAreUsedAfterTwoOthers) {
  Program program(R"(
    kernel void rotate_(global const int* in, global int* out, int rounds) {
      local int tile[64];
      const int x = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
      int a = in[i], b = a * 3, c = 1, u = in[0], v = rounds;
      bool flag = a & 1;
      for (int r = 0; r < rounds; ++r) {
        tile[x] = a;
        barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE);
        const int next = tile[(x + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int t = a;
        a = b + (flag ? 1 : 0); b = c; c = next + t;
        const int w = u;
        u = v + r; v = w;
        flag = flag != (bool)(u & 1);
        if (r % 2) { tile[x] = c; barrier(CLK_LOCAL_MEM_FENCE); b += tile[n - 1 - x]; v ^= tile[0] & 0; barrier(CLK_LOCAL_MEM_FENCE); }
      }
      out[i] = a + 3 * b + 5 * c + 7 * u + 11 * v + flag;
    })",
                  GetParam());
  for (const int local : {1, 7, 33}) {
    for (const int rounds : {0, 1, 2, 5}) {
      const Shape shape = line(3, local);
      std::vector<int> in(shape.items()), out(shape.items(), -1);
      std::iota(in.begin(), in.end(), 9);
      program.run("rotate_", shape, Arguments().buffer(in).buffer(out).value(rounds));
      for (int g = 0; g < 3; ++g) {
        std::vector<unsigned> a(in.begin() + g * local, in.begin() + (g + 1) * local), b(a), c(local, 1), tile(local);
        std::vector<bool> flag(local);
        unsigned u = in[0], v = rounds;
        for (int x = 0; x < local; ++x) b[x] *= 3, flag[x] = a[x] & 1;
        for (int r = 0; r < rounds; ++r) {
          tile = a;
          const unsigned w = u;
          u = v + r;
          v = w;
          for (int x = 0; x < local; ++x) {
            const unsigned t = a[x];
            a[x] = b[x] + (flag[x] ? 1 : 0);
            b[x] = c[x];
            c[x] = tile[(x + 1) % local] + t;
            flag[x] = flag[x] != ((u & 1) != 0);
          }
          if (r % 2 != 0)
            for (int x = 0; x < local; ++x) b[x] += c[local - 1 - x];
        }
        for (int x = 0; x < local; ++x)
          ASSERT_EQ(static_cast<unsigned>(out[g * local + x]), a[x] + 3 * b[x] + 5 * c[x] + 7 * u + 11 * v + flag[x])
              << x << " of " << local << ", " << rounds << " rounds";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Few, Unusual, testing::ValuesIn(few_ways()),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
