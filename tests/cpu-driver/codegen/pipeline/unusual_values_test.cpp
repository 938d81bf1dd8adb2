// SPDX-License-Identifier: Apache-2.0
// Values as few programs have them, against the same in C++: arguments and constants of odd kinds, divisions that would
// trap, indices at the limit of their type, and options that change how numbers may be computed.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class UnusualValues : public testing::TestWithParam<Way> {};

TEST_P(UnusualValues, ConstantsPointAtEachOther) {
  Program program(R"(
    typedef struct Node { constant struct Node* next; int value; constant int* values; } Node;
    constant int numbers[5] = {3, 1, 4, 1, 5};
    constant Node last = {0, 100, numbers + 2};
    constant Node middle = {&last, 10, &numbers[1]};
    constant Node first = {&middle, 1, numbers};
    constant Node* constant starts[3] = {&first, &middle, &last};
    kernel void follow(global int* out) {
      const int i = get_global_id(0);
      int sum = 0;
      for (constant Node* node = starts[i % 3]; node != 0; node = node->next) sum += node->value * node->values[i % 2];
      out[i] = sum;
    })",
                  GetParam());
  std::vector<int> out(50, -1);
  program.run("follow", line(2, 25), Arguments().buffer(out));
  const int value[3] = {1, 10, 100}, at[3] = {0, 1, 2}, numbers[5] = {3, 1, 4, 1, 5};
  for (int i = 0; i < 50; ++i) {
    int sum = 0;
    for (int node = i % 3; node < 3; ++node) sum += value[node] * numbers[at[node] + i % 2];
    ASSERT_EQ(out[i], sum) << i;
  }
}

TEST_P(UnusualValues, ArgumentsOfOddKinds) {
  struct One {
    float f;
  };
  struct Byte {
    char c;
  };
  struct Nested {
    char c;
    double d[2];
    short s;
  };
  Program program(R"(
    typedef struct { float f; } One;
    typedef struct { char c; } Byte;
    typedef struct { char c; double d[2]; short s; } Nested;
    typedef union { int i; float f; uchar b[8]; } Either;
    kernel void odd(One one, global long* out, uchar3 u3, Byte byte, Nested nested, short3 s3, Either either, double3 d3,
                    char2 c2, size_t_like_unused, ulong16 wide, constant int* none, uchar b) {
      const int i = get_global_id(0);
      nested.d[i & 1] += 1;
      out[i] = (long)one.f + u3.z * 2 + byte.c * 3 + (long)(nested.d[i & 1] * 4) + nested.s * 5 + s3.y * 6 + either.b[1] * 7 +
               (long)d3.z * 8 + c2.y * 9 + (long)wide.sf * 10 + (none == 0) * 1000000 + b * 11;
    })",
                  GetParam(), "-Dsize_t_like_unused='short pad'");
  std::vector<std::int64_t> out(40, -1);
  std::vector<int> none;
  const std::array<std::uint8_t, 4> u3{1, 2, 3, 99};
  const std::array<std::int16_t, 4> s3{-1, -2, -3, 99};
  const std::array<double, 4> d3{1, 2, 3, 99};
  const std::array<std::int8_t, 2> c2{4, -5};
  std::array<std::uint64_t, 16> wide{};
  wide[15] = 77;
  const std::array<std::uint8_t, 8> either{1, 250, 3, 4, 5, 6, 7, 8};
  Arguments arguments;
  arguments.value(One{42}).buffer(out).value(u3).value(Byte{-7}).value(Nested{1, {2.5, 3.5}, -9}).value(s3);
  arguments.value(either).value(d3).value(c2).value(std::int16_t{1}).value(wide).buffer(none).value(std::uint8_t{200});
  program.run("odd", line(2, 20), arguments);
  for (int i = 0; i < 40; ++i)
    ASSERT_EQ(out[i], 42 + 6 - 21 + static_cast<long>((2.5 + (i & 1) + 1) * 4) - 45 - 12 + 1750 + 24 - 45 + 770 +
                          1000000 + 2200)
        << i;
}

TEST_P(UnusualValues, VectorDivisionsDoNotTrap) {
  Program program(R"(
    kernel void divide(global const int4* a, global const int4* b, global int4* q, global char* c, global long2* l, int s) {
      const int i = get_global_id(0);
      q[i] = a[i] / b[i] + a[i] % b[i];
      c[i] = (char)((char)a[i].x / (char)b[i].x) + (char)((uchar)s % (uchar)b[i].y);
      l[i] = (long2)(a[i].x, a[i].y) / (long2)(b[i].x, b[i].y);
      int sum = 0;
      for (int j = 0; j < 3; ++j) sum += b[i].z != 0 ? s / b[i].z : s / (s - s) + 100 % (j - j);
      if (b[i].z != 0) q[i].w = sum;
    })",
                  GetParam());
  std::vector<int> a(4 * 37), b(4 * 37), q(4 * 37);
  std::vector<std::int8_t> c(37);
  std::vector<std::int64_t> l(2 * 37);
  for (int i = 0; i < 4 * 37; ++i) a[i] = i % 5 == 0 ? INT32_MIN : i * 3 - 100, b[i] = i % 7 - 3;
  program.run("divide", line(1, 37), Arguments().buffer(a).buffer(b).buffer(q).buffer(c).buffer(l).value(50));
  for (int i = 0; i < 4 * 37; ++i) {
    if (b[i] == 0 || (b[i] == -1 && a[i] == INT32_MIN) || i % 4 == 3) continue;
    ASSERT_EQ(q[i], a[i] / b[i] + a[i] % b[i]) << i;
  }
}

TEST_P(UnusualValues, IndicesWrapAndLieAtTheLimit) {
  Program program(R"(
    kernel void wrap(global int* out, global const ushort* table, global const uchar* bytes, ulong first) {
      const size_t i = get_global_id(0) - first;
      const uint g = get_global_id(0);
      const ushort a = (ushort)(g * 3000u);
      const uchar b = (uchar)(g + 250);
      const uint c = g * 16u, d = g * 24u;
      const int e = (int)g;
      out[i] = table[a] + bytes[b] + (int)((c + 5u) >> 3) + (int)(d % 1000u) + (int)((long)(e * 2) / 3) + (int)(get_global_id(0) >> 20);
    })",
                  GetParam());
  std::vector<std::uint16_t> table(65536);
  std::iota(table.begin(), table.end(), 0);
  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), 0);
  for (const std::uint64_t first : {0ull, 178956960ull, (1ull << 28) - 16, (1ull << 29) - 80, (1ull << 29) - 79,
                                    (1ull << 29) - 3, (1ull << 30) - 9}) {
    std::vector<int> out(80, -1);
    Shape shape = line(4, 20);
    shape.offset[0] = first;
    program.run("wrap", shape, Arguments().buffer(out).buffer(table).buffer(bytes).value(first));
    for (std::uint64_t i = 0; i < 80; ++i) {
      const auto g = static_cast<std::uint32_t>(first + i);
      const unsigned expected =
          static_cast<std::uint16_t>(g * 3000u) + static_cast<std::uint8_t>(g + 250) + ((g * 16u + 5u) >> 3) +
          g * 24u % 1000u + static_cast<unsigned>(static_cast<std::int64_t>(static_cast<int>(g) * 2) / 3) + (g >> 20);
      ASSERT_EQ(static_cast<unsigned>(out[i]), expected) << "id " << first << " + " << i;
    }
  }
}

TEST_P(UnusualValues, OptionsForFastMathDoNotChangeWhatIsExact) {
  for (const char* options : {"-cl-fast-relaxed-math", "-cl-opt-disable", "-cl-denorms-are-zero -cl-mad-enable",
                              "-cl-finite-math-only -cl-no-signed-zeros", "-g", "-cl-std=CL3.0 -cl-strict-aliasing"}) {
    Program program(R"(
      int twice(global const int* p) { return p[0] * 2; }
      kernel void exact(global const float* in, global float* out, global const int* ints, int n) {
        local float tile[64];
        const int i = get_global_id(0), x = get_local_id(0);
        float own[5];
        for (int k = 0; k < 5; ++k) own[k] = in[i] * k;
        tile[x] = in[i] + 0.5f;
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += tile[(x + k) % get_local_size(0)] * own[k % 5];
        out[i] = sum + fabs(sqrt(in[i] * in[i])) + twice(ints + i);
      })",
                    GetParam(), options);
    std::vector<float> in(66), out(66);
    std::vector<int> ints(66);
    std::iota(in.begin(), in.end(), 1.0f);
    std::iota(ints.begin(), ints.end(), -9);
    program.run("exact", line(2, 33), Arguments().buffer(in).buffer(out).buffer(ints).value(6));
    for (int i = 0; i < 66; ++i) {
      float sum = 0;
      for (int k = 0; k < 6; ++k)
        sum += (in[i / 33 * 33 + (i % 33 + k) % 33] + 0.5f) * in[i] * static_cast<float>(k % 5);
      ASSERT_EQ(out[i], sum + in[i] + 2.0f * static_cast<float>(ints[i])) << i << " with " << options;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Few, UnusualValues, testing::ValuesIn(few_ways()),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
