// SPDX-License-Identifier: Apache-2.0
// Kernels that print, in every instruction set and width: what comes out, from whom, and in which order.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class Prints : public testing::TestWithParam<Way> {
 protected:
  /// What `kernel` of `source` prints.
  std::string text_of(const std::string& source, const std::string& kernel, const Shape& shape,
                      const Arguments& arguments) {
    Program program(source, GetParam());
    program.run(kernel, shape, arguments);
    return program.take_text();
  }
};

TEST_P(Prints, EachItemOnceAndInOrder) {
  for (const std::uint64_t local : {1, 3, 16, 37}) {
    const Shape shape = line(5, local);
    std::vector<float> in(shape.items());
    std::string expected;
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i) / 4;
      char one[64];
      std::snprintf(one, sizeof one, "%zu: %.2f of %s\n", i, static_cast<double>(in[i]), "all");
      expected += one;
    }
    EXPECT_EQ(text_of(R"(kernel void k(global float* in) {
                           int i = get_global_id(0);
                           printf("%d: %.2f of %s\n", i, in[i], "all");
                         })",
                      "k", shape, Arguments().buffer(in)),
              expected);
  }
}

TEST_P(Prints, ItemsThatDoNotGetThereAreSilent) {
  const Shape shape = line(3, 20);
  std::vector<int> out(shape.items(), -1);
  std::string expected;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (i % 7 == 3) expected += "item " + std::to_string(i) + "\n";
  Program program(R"(kernel void k(global int* out) {
                       int i = get_global_id(0);
                       int got = 5;
                       if (i % 7 == 3) got = printf("item %d\n", i);
                       out[i] = got;
                     })",
                  GetParam());
  program.run("k", shape, Arguments().buffer(out));
  EXPECT_EQ(program.take_text(), expected);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 7 == 3 ? 0 : 5) << i;
}

TEST_P(Prints, WhatAllDoAlikeIsPrintedByEach) {
  std::string expected;
  for (int i = 0; i < 2 * 18; ++i) expected += "x 7\n";
  EXPECT_EQ(
      text_of(R"(kernel void k(int n) { if (n > 3) printf("x %d\n", n); })", "k", line(2, 18), Arguments().value(7)),
      expected);
}

TEST_P(Prints, LinesInPartsStayTogether) {
  const Shape shape = line(2, 19);
  std::string expected;
  for (std::uint64_t i = 0; i < shape.items(); ++i) {
    expected += std::to_string(i) + ":";
    for (std::uint64_t k = 0; k < i % 5; ++k) expected += " " + std::to_string(k);
    expected += "\n";
  }
  EXPECT_EQ(text_of(R"(kernel void k() {
                         int i = get_global_id(0);
                         printf("%d:", i);
                         for (int k = 0; k < i % 5; ++k) printf(" %d", k);
                         printf("\n");
                       })",
                    "k", shape, Arguments()),
            expected);
}

TEST_P(Prints, BarriersOrderText) {
  std::string expected;
  for (int group = 0; group < 3; ++group)
    for (int round = 0; round < 2; ++round) {
      expected += "[";
      for (int i = 0; i < 21; ++i) expected += " " + std::to_string(i + round);
      expected += "]\n";
    }
  EXPECT_EQ(text_of(R"(kernel void k() {
                         int i = get_local_id(0);
                         for (int round = 0; round < 2; ++round) {
                           if (i == 0) printf("[");
                           barrier(CLK_LOCAL_MEM_FENCE);
                           printf(" %d", i + round);
                           barrier(CLK_LOCAL_MEM_FENCE);
                           if (i == 0) printf("]\n");
                           barrier(CLK_LOCAL_MEM_FENCE);
                         }
                       })",
                    "k", line(3, 21), Arguments()),
            expected);
}

TEST_P(Prints, EveryKindOfArgument) {
  std::vector<int> out(4);
  EXPECT_EQ(text_of(R"(constant char format[] = "of the program %c%c\n";
                       constant char name[] = "name";
                       kernel void k(global int* out, uchar c) {
                         printf("%v4hld %v3hhx %v2lu\n", (int4)(1, -2, 3, c), (uchar3)(10, 11, c), (ulong2)(1, 1ul << 60));
                         printf("%.1v2hlf %v2lf %v4hd\n", (float2)(1.5f, c), (double2)(0.25, c), (short4)(-1, 2, 3, 4));
                         printf("%d %u %ld %hhd %hu %x\n", -1, -1, -1l, (char)c, (ushort)70000, c);
                         printf(format, 'a', c);
                         constant char* text = c > 3 ? "large" : "small";
                         printf("%s %5s|%s\n", text, name, out == 0 ? "none" : "some");
                         printf("%p\n", (global int*)0);
                         printf("%y %%\n");
                         printf("");
                         printf("%f %e %g\n", 1.0f, 2.0, 0.5f);
                       })",
                    "k", line(1, 1), Arguments().buffer(out).value(static_cast<unsigned char>(66))),
            "1,-2,3,66 a,b,42 1,1152921504606846976\n"
            "1.5,66.0 0.250000,66.000000 -1,2,3,4\n"
            "-1 4294967295 -1 66 4464 42\n"
            "of the program aB\n"
            "large  name|some\n"
            "(nil)\n"
            "%y %\n"
            "1.000000 2.000000e+00 0.5\n");
}

TEST_P(Prints, InThreeDimensions) {
  Shape shape;
  shape.dims = 3;
  shape.local = {5, 2, 3};
  shape.groups = {2, 1, 2};
  std::string expected;
  for (std::uint64_t group = 0; group < 4; ++group)
    for (std::uint64_t item = 0; item < 30; ++item)
      expected += std::to_string(group % 2 * 5 + item % 5) + " " + std::to_string(item / 5 % 2) + " " +
                  std::to_string(group / 2 * 3 + item / 10) + "\n";
  EXPECT_EQ(text_of(R"(kernel void k() {
                         printf("%d %d %d\n", (int)get_global_id(0), (int)get_global_id(1), (int)get_global_id(2));
                       })",
                    "k", shape, Arguments()),
            expected);
}

INSTANTIATE_TEST_SUITE_P(Ways, Prints, testing::ValuesIn(ways_of("Prints")),
                         [](const auto& test) { return name_of(test.param); });

TEST(PrintsMuch, MoreThanIsKept) {
  Program program(R"(kernel void k() {
                       int i = get_global_id(0);
                       for (int n = 0; n < 100; ++n) printf("%d of item %d: %40d\n", n, i, n * i);
                     })",
                  every_way().back());
  const Shape shape = line(100, 10);
  program.run("k", shape, Arguments());
  const std::string text = program.take_text();
  std::string item, expected;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 100'000);
  // In the item's own order.
  for (int n = 0; n < 100; ++n) {
    char one[128];
    std::snprintf(one, sizeof one, "%d of item %d: %40d\n", n, 777, n * 777);
    expected += one;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string one = text.substr(at, end - at);
    if (one.find("of item 777:") != std::string::npos) item += one;
    at = end;
  }
  EXPECT_EQ(item, expected);
}

}  // namespace
}  // namespace skmd::cpu::test
