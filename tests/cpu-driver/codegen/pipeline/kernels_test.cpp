// SPDX-License-Identifier: Apache-2.0
// Kernels of every size against the same in C++: places, arguments, arithmetic, branches and atomics.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class Kernels : public testing::TestWithParam<Way> {};

TEST_P(Kernels, KnowTheirPlaceInOneToThreeDimensions) {
  Program program(R"(
    kernel void place(global ulong* out) {
      size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1);
      i = i * get_global_size(0) + get_global_id(0) - get_global_offset(0);
      ulong v = get_work_dim();
      for (uint d = 0; d < 4; ++d)
        v = v * 31 + get_global_id(d) + 3 * get_local_id(d) + 5 * get_group_id(d) + 7 * get_local_size(d) +
            11 * get_num_groups(d) + 13 * get_global_size(d) + 17 * get_global_offset(d);
      out[i] = v;
    })",
                  GetParam());
  for (const Shape& shape :
       {Shape{{3, 1, 1}, {1, 1, 1}, {5, 0, 0}, 1}, Shape{{2, 3, 1}, {17, 3, 1}, {1, 100, 0}, 2},
        Shape{{2, 2, 2}, {5, 2, 3}, {0, 1ull << 33, 7}, 3}, Shape{{1, 1, 3}, {64, 1, 2}, {0, 0, 0}, 3},
        Shape{{2, 1, 1}, {40, 1, 1}, {(1ull << 31) - 30, 0, 0}, 1}}) {
    std::vector<std::uint64_t> out(shape.items(), 0);
    program.run("place", shape, Arguments().buffer(out), 2);
    std::uint64_t size[4], groups[4], local[4], offset[4];
    for (unsigned d = 0; d < 3; ++d) {
      groups[d] = shape.groups[d];
      local[d] = shape.local[d];
      size[d] = groups[d] * local[d];
      offset[d] = shape.offset[d];
    }
    groups[3] = local[3] = size[3] = 1;
    offset[3] = 0;
    for (std::uint64_t i = 0; i < out.size(); ++i) {
      const std::uint64_t at[4] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1], 0};
      std::uint64_t v = shape.dims;
      for (unsigned d = 0; d < 4; ++d)
        v = v * 31 + at[d] + offset[d] + 3 * (at[d] % local[d]) + 5 * (at[d] / local[d]) + 7 * local[d] +
            11 * groups[d] + 13 * size[d] + 17 * offset[d];
      ASSERT_EQ(out[i], v) << "item " << i << " of " << out.size();
    }
  }
}

TEST_P(Kernels, TakeArgumentsOfEveryKind) {
  struct Pair {
    float a;
    int b[3];
  };
  Program program(R"(
    typedef struct { float a; int b[3]; } Pair;
    constant int table[4] = {10, 20, 30, 40};
    kernel void take(global float* out, Pair p, local int* l, char c, float3 v, double d, constant float* k, long n,
                     global int* nothing) {
      const int i = get_global_id(0), x = get_local_id(0);
      l[x] = x;
      p.b[x % 3] += 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[i] = p.a + p.b[x % 3] + l[get_local_size(0) - 1 - x] + c + v.z + d + k[x & 1] + n + table[x & 3] +
               (nothing == 0 ? 1000 : 0);
    })",
                  GetParam());
  const Shape shape = line(3, 20);
  std::vector<float> out(shape.items());
  std::vector<float> constants{0.5f, 0.25f};
  const float vector[4] = {1, 2, 3, 4};
  Arguments arguments;
  arguments.buffer(out).value(Pair{1.5f, {1, 2, 3}}).local(20 * 4).value(std::int8_t{-3});
  arguments.value(std::to_array(vector)).value(2.5).buffer(constants).value(std::int64_t{-7});
  std::vector<int> none;
  arguments.buffer(none);
  program.run("take", shape, arguments);
  for (int i = 0; i < 60; ++i) {
    const int x = i % 20;
    const float expected = 1.5f + (x % 3 + 2) + (19 - x) - 3 + 3 + 2.5f + constants[x & 1] - 7 +
                           static_cast<float>((x & 3) * 10 + 10) + 1000;
    ASSERT_EQ(out[i], expected) << i;
  }
}

TEST_P(Kernels, DivideByZeroWithoutATrap) {
  Program program(R"(
    kernel void divide(global const int* a, global const int* b, global int* q, global uint* r, global long* l) {
      const int i = get_global_id(0);
      q[i] = a[i] / b[i];
      r[i] = (uint)a[i] % (uint)b[i];
      l[i] = ((long)a[i] << 32) / ((long)b[i]);
    })",
                  GetParam());
  const Shape shape = line(1, 50);
  auto a = counting(50, -25);
  auto b = counting(50, -10);
  a[9] = INT32_MIN;  // by -1
  std::vector<int> q(50);
  std::vector<unsigned> r(50);
  std::vector<std::int64_t> l(50);
  program.run("divide", shape, Arguments().buffer(a).buffer(b).buffer(q).buffer(r).buffer(l));
  for (int i = 0; i < 50; ++i) {
    if (b[i] == 0 || i == 9) continue;
    ASSERT_EQ(q[i], a[i] / b[i]) << i;
    ASSERT_EQ(r[i], static_cast<unsigned>(a[i]) % static_cast<unsigned>(b[i])) << i;
    ASSERT_EQ(l[i], static_cast<std::int64_t>(static_cast<std::uint64_t>(a[i]) << 32) / b[i]) << i;
  }
}

TEST_P(Kernels, DivergeInConditionsAndLoops) {
  Program program(R"(
    kernel void collatz(global const uint* in, global int* steps, int limit) {
      const int i = get_global_id(0);
      uint n = in[i];
      int count = 0;
      while (n != 1) {
        if (count >= limit) { count = -1; break; }
        if (n & 1) n = 3 * n + 1; else n /= 2;
        ++count;
      }
      switch (count % 4) {
        case 0: count += 100; break;
        case 1: if (i % 3 == 0) return; count += 200; break;
        case 2: count += 300;
        default: count += 7;
      }
      steps[i] = count;
    })",
                  GetParam());
  const Shape shape = line(4, 75);
  std::vector<unsigned> in(300);
  std::iota(in.begin(), in.end(), 1);
  std::vector<int> steps(300, -5);
  program.run("collatz", shape, Arguments().buffer(in).buffer(steps).value(100));
  for (int i = 0; i < 300; ++i) {
    unsigned n = in[i];
    int count = 0;
    while (n != 1) {
      if (count >= 100) {
        count = -1;
        break;
      }
      n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
      ++count;
    }
    int expected = 0;
    switch (count % 4) {
      case 0:
        expected = count + 100;
        break;
      case 1:
        expected = i % 3 == 0 ? -5 : count + 200;
        break;
      case 2:
        expected = count + 307;
        break;
      default:
        expected = count + 7;
    }
    ASSERT_EQ(steps[i], expected) << i;
  }
}

TEST_P(Kernels, CallMathAndOtherBuiltins) {
  Program program(R"(
    kernel void sums(global const float* in, global float* out, global double* d) {
      const int i = get_global_id(0);
      const float x = in[i];
      out[i] = sin(x) + exp(-fabs(x)) * sqrt(fabs(x)) + fmax(x, 0.5f) + mad(x, 2.0f, 1.0f);
      d[i] = pow(fabs((double)x) + 1.0, 1.5) + dot((float4)(x, 1, 2, 3), (float4)(1, x, 1, 1));
      out[i] += convert_int_sat(x * 1e10f) == 2147483647 ? 1.0f : 0.0f;
    })",
                  GetParam());
  const Shape shape = line(3, 37);
  std::vector<float> in(111), out(111);
  for (int i = 0; i < 111; ++i) in[i] = static_cast<float>(i - 55) * 0.37f;
  std::vector<double> d(111);
  program.run("sums", shape, Arguments().buffer(in).buffer(out).buffer(d));
  for (int i = 0; i < 111; ++i) {
    const double x = in[i];
    const double expected = std::sin(x) + std::exp(-std::fabs(x)) * std::sqrt(std::fabs(x)) + std::fmax(x, 0.5) +
                            x * 2 + 1 + (x * 1e10 >= 2147483647.0 ? 1 : 0);
    ASSERT_NEAR(out[i], expected, 1e-4) << i;
    ASSERT_NEAR(d[i], std::pow(std::fabs(x) + 1, 1.5) + 2 * x + 5, 1e-5) << i;
  }
}

TEST_P(Kernels, UseAtomics) {
  Program program(R"(
    kernel void counters(global int* counts, global uint* total, global const int* in) {
      local int mine;
      if (get_local_id(0) == 0) mine = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      const int i = get_global_id(0);
      atomic_inc(&mine);
      atomic_add(&counts[in[i] & 7], in[i]);
      atomic_max(total + 1, (uint)in[i]);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) atomic_add(total, (uint)mine);
    })",
                  GetParam());
  const Shape shape = line(6, 41);
  auto in = counting(246, 1);
  std::vector<int> counts(8, 0);
  std::vector<unsigned> total(2, 0);
  program.run("counters", shape, Arguments().buffer(counts).buffer(total).buffer(in));
  std::vector<int> expected(8, 0);
  for (const int value : in) expected[value & 7] += value;
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(total[0], 246u);
  EXPECT_EQ(total[1], 246u);
}

// Compilers take what is cheap out of conditions, with promises (no wrapping, not negative, no bit in common) that hold
// only where it was.
TEST_P(Kernels, ComputeFromItemsThatBreakWhatOthersPromise) {
  Program program(R"(
    kernel void k(global ulong* wraps, global long* sign, global int* sum, uint r) {
      size_t i = get_global_id(0);
      uint x = i;
      ulong v = 1UL << 40;
      if (x >= r) v = x - r;
      wraps[i] = v;
      int y = (int)i - (int)r;
      sign[i] = y >= 0 ? y : -1L << 40;
      uint z = x + r, odd = 3;
      if ((z & 1) == 0) odd = z + 1;
      sum[i] = odd;
    })",
                  GetParam());
  const unsigned r = 5;
  std::vector<std::uint64_t> wraps(2 * 37);
  std::vector<std::int64_t> sign(wraps.size());
  std::vector<int> sum(wraps.size());
  program.run("k", line(2, 37), Arguments().buffer(wraps).buffer(sign).buffer(sum).value(r));
  for (unsigned i = 0; i < wraps.size(); ++i) {
    ASSERT_EQ(wraps[i], i >= r ? i - r : std::uint64_t{1} << 40) << i;
    ASSERT_EQ(sign[i], i >= r ? i - r : -(std::int64_t{1} << 40)) << i;
    ASSERT_EQ(sum[i], static_cast<int>((i + r) % 2 == 0 ? i + r + 1 : 3)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Kernels, testing::ValuesIn(ways_of("Kernels")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
