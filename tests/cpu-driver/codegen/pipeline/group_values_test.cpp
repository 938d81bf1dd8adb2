// SPDX-License-Identifier: Apache-2.0
// Values that all items of a group have in common, against the same in C++: strides that the launch tells, what places
// are computed from again behind barriers, and how far items work in loops.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <random>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class GroupValues : public testing::TestWithParam<Way> {
 protected:
  std::mt19937 numbers_{20261122};
};

TEST_P(GroupValues, AreStrides) {
  Program code(R"(
    kernel void strided(global int* x, int first, int stride) {
      const int i = get_global_id(0);
      x[first + i * stride] = 3 * x[first + i * stride] + i;
    })",
               GetParam());
  for (const int stride : {1, 0, 2, -1, 5}) {
    if (stride == 0) continue;  // items would write each other's
    std::vector<int> x(400, 0);
    for (int& value : x) value = static_cast<int>(numbers_() % 1000);
    std::vector<int> expected = x;
    const int first = stride < 0 ? 99 : 7;
    for (int i = 0; i < 66; ++i) expected[first + i * stride] = 3 * expected[first + i * stride] + i;
    code.run("strided", line(2, 33), Arguments().buffer(x).value(first).value(stride));
    ASSERT_EQ(x, expected) << stride;
  }
}

// What the group and an item's id tell together is computed again behind barriers.
TEST_P(GroupValues, GivePlacesAgainBehindBarriers) {
  Program code(R"(
    kernel void march(global const int* in, global int* out, int layer, int layers) {
      local int plane[64];
      const int l = get_local_id(0), w = get_local_size(0);
      const int start = get_global_id(0);
      long sum = 0;
      for (int z = 0; z < layers; ++z) {
        const int here = start + z * layer;
        const int odd = here * (z + 1);
        plane[l] = in[here];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += plane[(l + z) % w];
        if (z % 3 == 1) {
          barrier(CLK_LOCAL_MEM_FENCE);
          sum -= here & z;
        }
        out[here] = (int)sum + odd;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
    })",
               GetParam());
  for (const unsigned w : {1U, 16U, 21U, 64U}) {
    const unsigned layer = 2 * w + 3, layers = 7;
    std::vector<int> in(layer * layers), out(in.size(), -1), expected = out;
    for (int& value : in) value = static_cast<int>(numbers_() % 10000);
    code.run("march", line(2, w), Arguments().buffer(in).buffer(out).value(layer).value(layers));
    for (unsigned i = 0; i < 2 * w; ++i) {
      long sum = 0;
      for (unsigned z = 0; z < layers; ++z) {
        const unsigned here = i + z * layer, start = i - i % w;
        sum += in[start + (i % w + z) % w + z * layer];
        if (z % 3 == 1) sum -= here & z;
        expected[here] = static_cast<int>(sum + here * (z + 1));
      }
    }
    ASSERT_EQ(out, expected) << w;
  }
}

// Both are long to compute: what the group has in common is kept then, though it could be computed again alone.
TEST_P(GroupValues, AreKeptIfLongToCompute) {
  Program code(R"(
    kernel void chains(global int* out, int a, int b, local int* l) {
      const int i = get_local_id(0);
      int u = a;
      u = (u * b) ^ 5; u = (u * b) ^ 7; u = (u * b) ^ 11; u = (u * b) ^ 13;
      u = (u * b) ^ 17; u = (u * b) ^ 19; u = (u * b) ^ 23; u = (u * b) ^ 29;
      int v = i;
      v = (v * u) ^ 5; v = (v * b) ^ 7; v = (v * b) ^ 11; v = (v * b) ^ 13; v = (v * b) ^ 17; v = (v * b) ^ 19;
      l[i] = v;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[i] = l[i ^ 1] + v;
      out[i + 1024] = u;
    })",
               GetParam());
  const auto chain = [](unsigned value, unsigned b, std::initializer_list<unsigned> with) {
    for (const unsigned x : with) value = value * b ^ x;
    return value;
  };
  std::vector<unsigned> out(2048, 1), expected = out;
  code.run("chains", line(1, 34), Arguments().buffer(out).value(77).value(3).local(34 * 4));
  const unsigned u = chain(77, 3, {5, 7, 11, 13, 17, 19, 23, 29});
  const auto v = [&](unsigned i) { return chain(i * u ^ 5U, 3, {7, 11, 13, 17, 19}); };
  for (unsigned i = 0; i < 34; ++i) {
    expected[i] = v(i ^ 1U) + v(i);
    expected[i + 1024] = u;
  }
  EXPECT_EQ(out, expected);
}

// Trees in which ever fewer or more items work, of which loops over items know how far they have to go.
TEST_P(GroupValues, LimitWhichItemsWork) {
  Program code(R"(
    kernel void tree(global int* out, global const int* in, local int* a, int n) {
      const int l = get_local_id(0), w = get_local_size(0);
      a[l] = in[get_global_id(0)];
      int done = 0;
      for (int s = w / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) a[l] += a[l + s];
        done += s;
      }
      for (uint s = 1; s <= w; s += n) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((uint)l + 3 <= s) a[l] ^= s * l;
        if (s > w / 2 && l == 0) a[0] += done;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int s = w - 1; s >= n; s -= n) {
        if (l >= s) a[l] += s;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[get_global_id(0)] = a[l] + done;
    })",
               GetParam());
  for (const int w : {1, 5, 16, 48, 64, 100, 256}) {
    const int n = 5;
    std::vector<int> in(2 * w), out(2 * w), expected;
    for (int& value : in) value = static_cast<int>(numbers_() % 1000);
    code.run("tree", line(2, w), Arguments().buffer(out).buffer(in).local(4 * w).value(n));
    for (int group = 0; group < 2; ++group) {
      std::vector<int> a(in.begin() + group * w, in.begin() + (group + 1) * w);
      int done = 0;
      for (int s = w / 2; s > 0; s /= 2) {
        for (int l = 0; l < s; ++l) a[l] += a[l + s];
        done += s;
      }
      for (int s = 1; s <= w; s += n) {
        for (int l = 0; l + 3 <= s; ++l) a[l] ^= s * l;
        if (s > w / 2) a[0] += done;
      }
      for (int s = w - 1; s >= n; s -= n)
        for (int l = s; l < w; ++l) a[l] += s;
      for (const int value : a) expected.push_back(value + done);
    }
    ASSERT_EQ(out, expected) << w;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, GroupValues, testing::ValuesIn(ways_of("GroupValues")),
                         [](const auto& param) { return name_of(param.param); });

}  // namespace
}  // namespace skmd::cpu::test
